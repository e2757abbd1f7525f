//! The bench's operator on kube-rs: Widget to ConfigMap and status. `bench sync` only fills the store.
use std::{collections::BTreeMap, future::ready, sync::Arc, time::Duration};

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client, CustomResource, Resource, ResourceExt,
    api::{ObjectMeta, Patch, PatchParams},
    runtime::{
        WatchStreamExt,
        controller::{Action, Config, Controller},
        reflector, watcher,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(CustomResource, Deserialize, Serialize, Clone, Debug, JsonSchema)]
#[kube(group = "bench.kubewright.dev", version = "v1", kind = "Widget", namespaced, status = "WidgetStatus")]
struct WidgetSpec {
    #[serde(default)]
    replicas: i64,
    #[serde(default)]
    text: BTreeMap<String, String>,
}

#[derive(Deserialize, Serialize, Clone, Debug, Default, JsonSchema)]
struct WidgetStatus {
    #[serde(default)]
    replicas: i64,
}

async fn reconcile(widget: Arc<Widget>, client: Arc<Client>) -> Result<Action, kube::Error> {
    let namespace = widget.namespace().unwrap_or_default();
    let name = widget.name_any();
    let config = ConfigMap {
        metadata: ObjectMeta {
            name: Some(name.clone()),
            owner_references: widget.controller_owner_ref(&()).map(|it| vec![it]),
            ..ObjectMeta::default()
        },
        data: Some(BTreeMap::from([("replicas".into(), widget.spec.replicas.to_string())])),
        ..ConfigMap::default()
    };
    let apply = PatchParams::apply("bench").force();
    Api::<ConfigMap>::namespaced((*client).clone(), &namespace)
        .patch(&name, &apply, &Patch::Apply(&config))
        .await?;
    if widget.status.as_ref().map(|it| it.replicas) != Some(widget.spec.replicas) {
        let status = json!({
            "apiVersion": Widget::api_version(&()),
            "kind": Widget::kind(&()),
            "status": { "replicas": widget.spec.replicas },
        });
        Api::<Widget>::namespaced((*client).clone(), &namespace)
            .patch_status(&name, &apply, &Patch::Apply(&status))
            .await?;
    }
    Ok(Action::await_change())
}

fn again(_: Arc<Widget>, error: &kube::Error, _: Arc<Client>) -> Action {
    eprintln!("{error}");
    Action::requeue(Duration::from_millis(500))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::try_default().await?;
    let widgets = Api::<Widget>::all(client.clone());
    if std::env::args().nth(1).as_deref() == Some("sync") {
        let (reader, writer) = reflector::store();
        let filling = reflector(writer, watcher(widgets, watcher::Config::default()))
            .default_backoff()
            .for_each(|_| ready(()));
        let telling = async {
            reader.wait_until_ready().await.expect("the store fills");
            println!("synced {}", reader.len());
            std::future::pending::<()>().await;
        };
        tokio::select! { () = filling => (), () = telling => (), _ = tokio::signal::ctrl_c() => () };
        return Ok(());
    }
    println!("synced 0");
    Controller::new(widgets, watcher::Config::default())
        .owns(Api::<ConfigMap>::all(client.clone()), watcher::Config::default())
        .with_config(Config::default().concurrency(10))
        .shutdown_on_signal()
        .run(reconcile, again, Arc::new(client))
        .for_each(|_| ready(()))
        .await;
    Ok(())
}
