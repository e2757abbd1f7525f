package bench;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import java.util.List;
import java.util.Map;

@ControllerConfiguration
public class WidgetReconciler implements Reconciler<Widget> {
  @Override
  public List<EventSource<?, Widget>> prepareEventSources(EventSourceContext<Widget> context) {
    return List.of(
        new InformerEventSource<>(
            InformerEventSourceConfiguration.from(ConfigMap.class, Widget.class).build(), context));
  }

  @Override
  public UpdateControl<Widget> reconcile(Widget widget, Context<Widget> context) {
    long replicas = widget.getSpec().replicas;
    String wanted = Long.toString(replicas);
    boolean asWanted =
        context
            .getSecondaryResource(ConfigMap.class)
            .map(it -> it.getData() != null && wanted.equals(it.getData().get("replicas")))
            .orElse(false);
    if (!asWanted) {
      ConfigMap config =
          new ConfigMapBuilder()
              .withNewMetadata()
              .withName(widget.getMetadata().getName())
              .withNamespace(widget.getMetadata().getNamespace())
              .endMetadata()
              .withData(Map.of("replicas", wanted))
              .build();
      config.addOwnerReference(widget);
      context.getClient().resource(config).serverSideApply();
    }
    if (widget.getStatus() != null && widget.getStatus().replicas == replicas)
      return UpdateControl.noUpdate();
    Widget.Status status = new Widget.Status();
    status.replicas = replicas;
    Widget patch = new Widget();
    patch.getMetadata().setName(widget.getMetadata().getName());
    patch.getMetadata().setNamespace(widget.getMetadata().getNamespace());
    patch.setStatus(status);
    return UpdateControl.patchStatus(patch);
  }
}
