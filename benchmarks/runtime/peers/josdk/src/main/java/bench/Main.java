package bench;

import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.javaoperatorsdk.operator.Operator;

/** The bench's operator on the Java Operator SDK: Widget to ConfigMap and status. `sync` only fills an informer. */
public class Main {
  public static void main(String[] args) throws InterruptedException {
    if (args[0].equals("sync")) {
      var client = new KubernetesClientBuilder().build();
      var informer = client.resources(Widget.class).inAnyNamespace().inform();
      System.out.println("synced " + informer.getStore().list().size());
    } else {
      var operator = new Operator(it -> it.withConcurrentReconciliationThreads(10));
      operator.register(new WidgetReconciler());
      operator.start();
      System.out.println("synced 0");
    }
    Thread.currentThread().join();
  }
}
