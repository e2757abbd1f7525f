"""The bench's operator on kopf: Widget to ConfigMap and status. `bench_operator.py sync` only fills an index."""

import asyncio
import logging
import os
import sys

import kopf
import kubernetes

WIDGETS = ("bench.kubewright.dev", "v1", "widgets")
SYNC = sys.argv[1] == "sync"
COUNT = int(os.environ.get("COUNT", "0"))
seen = 0


@kopf.on.startup()
def configure(settings, **_):
    settings.posting.enabled = False
    settings.persistence.finalizer = "bench.kubewright.dev/kopf"
    kubernetes.config.load_kube_config()


if SYNC:

    @kopf.index(*WIDGETS)
    def widgets(namespace, name, body, **_):
        global seen
        seen += 1
        if seen == COUNT:
            print("synced", seen, flush=True)
        return {(namespace, name): body}

else:

    @kopf.on.create(*WIDGETS)
    @kopf.on.update(*WIDGETS, field="spec")
    @kopf.on.resume(*WIDGETS)
    def reconcile(namespace, name, spec, patch, body, **_):
        replicas = spec.get("replicas", 0)
        config = {"metadata": {"name": name}, "data": {"replicas": str(replicas)}}
        kopf.adopt(config, owner=body)
        api = kubernetes.client.CoreV1Api()
        try:
            api.create_namespaced_config_map(namespace, config)
        except kubernetes.client.ApiException as error:
            if error.status != 409:
                raise
            api.patch_namespaced_config_map(name, namespace, config)
        patch.status["replicas"] = replicas


async def main():
    ready = asyncio.Event()
    running = asyncio.create_task(kopf.operator(clusterwide=True, ready_flag=ready))
    await ready.wait()
    if not SYNC:
        print("synced 0", flush=True)
    await running


logging.basicConfig(level=logging.WARNING)
asyncio.run(main())
