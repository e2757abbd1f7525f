#!/usr/bin/env bash
# Runs upstream's kubectl command tests in a copy of Kubernetes' source against a server that runs already. Told by its environment:
#   KUBERNETES   the copy; its _output/bin holds kubectl and kubectl-convert
#   SERVER       https://127.0.0.1:PORT; the token admin-token is an administrator's
#   OUT          a folder for reports and temporary files
#   WHAT         names of functions, or nothing for all of them in upstream's order
set -o nounset
cd "$KUBERNETES"
export SECURE_API_PORT="${SERVER##*:}" KUBE_JUNIT_REPORT_DIR="$OUT/junit" TMPDIR="$OUT/tmp" LANG=C ALLOW_SKEW=y
mkdir -p "$TMPDIR" "$KUBE_JUNIT_REPORT_DIR"
# Two of the functions read the server's certificate here.
openssl s_client -connect "127.0.0.1:$SECURE_API_PORT" </dev/null 2>/dev/null | openssl x509 >"$TMPDIR/apiserver.crt"

source hack/lib/init.sh
source hack/lib/test.sh
source test/cmd/legacy-script.sh

end() {
  stop-proxy
  rm -rf "$KUBE_TEMP"
}
kube::util::trap_add end EXIT SIGINT
kube::util::ensure-temp-dir
export HOME="$KUBE_TEMP" SED=sed CONTEXT=test SUPPORTED_RESOURCES=('*')
{
  kubectl config set-credentials test-admin --token admin-token
  kubectl config set-cluster local --insecure-skip-tls-verify --server "$SERVER"
  kubectl config set-context "$CONTEXT" --user test-admin --cluster local
  kubectl config use-context "$CONTEXT"
} >/dev/null
# One node, as upstream's own runner makes it.
kubectl get node 127.0.0.1 >/dev/null 2>&1 || kubectl create -f - <<'NODE'
{"kind": "Node", "apiVersion": "v1", "metadata": {"name": "127.0.0.1", "annotations": {"save-managers": "true"}}, "status": {"capacity": {"memory": "1Gi"}}}
NODE
runTests
