// The bench's operator on controller-runtime: Widget to ConfigMap and status. `bench sync` only fills the cache.
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

type WidgetSpec struct {
	Replicas int64             `json:"replicas,omitempty"`
	Text     map[string]string `json:"text,omitempty"`
}

type WidgetStatus struct {
	Replicas int64 `json:"replicas,omitempty"`
}

type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              WidgetSpec   `json:"spec,omitempty"`
	Status            WidgetStatus `json:"status,omitempty"`
}

type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Widget `json:"items"`
}

// What controller-gen would write.
func (in *Widget) DeepCopy() *Widget {
	out := new(Widget)
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	if in.Spec.Text != nil {
		out.Spec.Text = make(map[string]string, len(in.Spec.Text))
		for k, v := range in.Spec.Text {
			out.Spec.Text[k] = v
		}
	}
	return out
}

func (in *Widget) DeepCopyObject() runtime.Object { return in.DeepCopy() }

func (in *WidgetList) DeepCopyObject() runtime.Object {
	out := new(WidgetList)
	*out = *in
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	out.Items = make([]Widget, len(in.Items))
	for i := range in.Items {
		out.Items[i] = *in.Items[i].DeepCopy()
	}
	return out
}

type reconciler struct{ client.Client }

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	widget := &Widget{}
	if err := r.Get(ctx, req.NamespacedName, widget); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: widget.Name, Namespace: widget.Namespace}}
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error {
		config.Data = map[string]string{"replicas": strconv.FormatInt(widget.Spec.Replicas, 10)}
		return controllerutil.SetControllerReference(widget, config, r.Scheme())
	}); err != nil {
		return ctrl.Result{}, err
	}
	if widget.Status.Replicas == widget.Spec.Replicas {
		return ctrl.Result{}, nil
	}
	widget.Status.Replicas = widget.Spec.Replicas
	return ctrl.Result{}, r.Status().Update(ctx, widget)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	ctrl.SetLogger(zap.New())
	scheme := runtime.NewScheme()
	check(clientgoscheme.AddToScheme(scheme))
	group := schema.GroupVersion{Group: "bench.kubewright.dev", Version: "v1"}
	scheme.AddKnownTypes(group, &Widget{}, &WidgetList{})
	metav1.AddToGroupVersion(scheme, group)
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Scheme:                 scheme,
		Metrics:                metricsserver.Options{BindAddress: "0"},
		HealthProbeBindAddress: "0",
	})
	check(err)
	if os.Args[1] == "sync" {
		_, err := mgr.GetCache().GetInformer(context.Background(), &Widget{}, cache.BlockUntilSynced(false))
		check(err)
	} else {
		check(ctrl.NewControllerManagedBy(mgr).For(&Widget{}).Owns(&corev1.ConfigMap{}).
			WithOptions(controller.Options{MaxConcurrentReconciles: 10}).
			Complete(&reconciler{mgr.GetClient()}))
	}
	check(mgr.Add(manager.RunnableFunc(func(ctx context.Context) error {
		list := &WidgetList{}
		mgr.GetCache().WaitForCacheSync(ctx)
		if os.Args[1] == "sync" {
			check(mgr.GetCache().List(ctx, list, client.UnsafeDisableDeepCopy))
		}
		fmt.Println("synced", len(list.Items))
		return nil
	})))
	check(mgr.Start(ctrl.SetupSignalHandler()))
}
