// extract-internals prints, one struct a line, the fields of Kubernetes' internal types in their order, as messages that show
// whole objects print them, the field of the published type that each comes from (- for none), and its type:
// `go run . > ../../packages/cluster/src/apiserver/data/internal-structs.json`.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	certificatesv1beta1 "k8s.io/api/certificates/v1beta1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	storagev1 "k8s.io/api/storage/v1"
	storagemigrationv1beta1 "k8s.io/api/storagemigration/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/kubernetes/pkg/apis/apps"
	"k8s.io/kubernetes/pkg/apis/autoscaling"
	"k8s.io/kubernetes/pkg/apis/batch"
	"k8s.io/kubernetes/pkg/apis/certificates"
	"k8s.io/kubernetes/pkg/apis/core"
	resourceapi "k8s.io/kubernetes/pkg/apis/resource"
	"k8s.io/kubernetes/pkg/apis/storage"
	"k8s.io/kubernetes/pkg/apis/storagemigration"
)

var found = map[string][]string{}

func jsonName(f reflect.StructField) string { return strings.Split(f.Tag.Get("json"), ",")[0] }

type member struct {
	name string
	typ  reflect.Type
}

// flat lists the members of a struct as JSON shows them, embedded structs without a name opened.
func flat(t reflect.Type) []member {
	var all []member
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		tag := jsonName(f)
		if f.Anonymous && tag == "" {
			ft := f.Type
			if ft.Kind() == reflect.Pointer {
				ft = ft.Elem()
			}
			if ft.PkgPath() == "k8s.io/apimachinery/pkg/apis/meta/v1" {
				all = append(all, member{"*" + ft.Name(), ft})
				continue
			}
			all = append(all, flat(ft)...)
			continue
		}
		if f.PkgPath != "" {
			continue
		}
		all = append(all, member{f.Name, f.Type})
	}
	return all
}

func published(t reflect.Type) map[string]reflect.StructField {
	all := map[string]reflect.StructField{}
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		if f.Anonymous && jsonName(f) == "" {
			ft := f.Type
			if ft.Kind() == reflect.Pointer {
				ft = ft.Elem()
			}
			for k, v := range published(ft) {
				all[k] = v
			}
			continue
		}
		all[f.Name] = f
	}
	return all
}

func strip(t reflect.Type) (reflect.Type, string) {
	prefix := ""
	for {
		switch t.Kind() {
		case reflect.Pointer:
			prefix += "*"
			t = t.Elem()
		case reflect.Slice:
			if t.Elem().Kind() == reflect.Uint8 {
				return t, prefix + "*"
			}
			prefix += "[]"
			t = t.Elem()
		default:
			return t, prefix
		}
	}
}

func walk(in, out reflect.Type) {
	key := in.Name()
	if _, ok := found[key]; ok {
		return
	}
	found[key] = nil
	var rows []string
	byName := published(out)
	for _, m := range flat(in) {
		if strings.HasPrefix(m.name, "*") {
			rows = append(rows, m.name)
			continue
		}
		f, ok := byName[m.name]
		if !ok {
			for k, v := range byName {
				if strings.EqualFold(k, m.name) {
					f, ok = v, true
				}
			}
		}
		name := "-"
		if ok {
			name = jsonName(f)
		}
		base, prefix := strip(m.typ)
		rows = append(rows, m.name+" "+name+" "+prefix+kind(base))
		if base.Kind() == reflect.Struct && strings.HasPrefix(base.PkgPath(), "k8s.io/kubernetes/") {
			if ok {
				ob, _ := strip(f.Type)
				if ob.Kind() == reflect.Struct {
					walk(base, ob)
				}
			}
		}
	}
	found[key] = rows
}

func kind(t reflect.Type) string {
	if t == reflect.TypeOf(resource.Quantity{}) {
		return "quantity"
	}
	switch t.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "bool"
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Float64, reflect.Uint8:
		return "number"
	case reflect.Map:
		return "map"
	case reflect.Struct:
		if strings.HasPrefix(t.PkgPath(), "k8s.io/kubernetes/") {
			return t.Name()
		}
		return "json:" + t.Name()
	}
	return t.Kind().String()
}

func main() {
	for _, p := range [][2]any{
		{core.PodTemplateSpec{}, corev1.PodTemplateSpec{}},
		{core.PersistentVolumeSpec{}, corev1.PersistentVolumeSpec{}},
		{core.PersistentVolumeSource{}, corev1.PersistentVolumeSource{}},
		{core.PersistentVolumeClaimSpec{}, corev1.PersistentVolumeClaimSpec{}},
		{core.ServiceSpec{}, corev1.ServiceSpec{}},
		{core.NodeSpec{}, corev1.NodeSpec{}},
		{core.Node{}, corev1.Node{}},
		{core.ObjectReference{}, corev1.ObjectReference{}},
		{core.EventSource{}, corev1.EventSource{}},
		{core.ResourceQuotaSpec{}, corev1.ResourceQuotaSpec{}},
		{apps.DeploymentStrategy{}, appsv1.DeploymentStrategy{}},
		{apps.DaemonSetUpdateStrategy{}, appsv1.DaemonSetUpdateStrategy{}},
		{apps.StatefulSetUpdateStrategy{}, appsv1.StatefulSetUpdateStrategy{}},
		{batch.JobSpec{}, batchv1.JobSpec{}},
		{batch.JobStatus{}, batchv1.JobStatus{}},
		{resourceapi.ResourceClaimSpec{}, resourcev1.ResourceClaimSpec{}},
		{resourceapi.ResourceClaimTemplateSpec{}, resourcev1.ResourceClaimTemplateSpec{}},
		{resourceapi.ResourcePoolStatusRequestStatus{}, resourcev1alpha3.ResourcePoolStatusRequestStatus{}},
		{storagemigration.StorageVersionMigrationSpec{}, storagemigrationv1beta1.StorageVersionMigrationSpec{}},
		{certificates.PodCertificateRequestSpec{}, certificatesv1beta1.PodCertificateRequestSpec{}},
		{autoscaling.HorizontalPodAutoscalerSpec{}, autoscalingv2.HorizontalPodAutoscalerSpec{}},
		{storage.CSINodeDriver{}, storagev1.CSINodeDriver{}},
		{storage.VolumeAttachmentSpec{}, storagev1.VolumeAttachmentSpec{}},
	} {
		walk(reflect.TypeOf(p[0]), reflect.TypeOf(p[1]))
	}
	var names []string
	for k := range found {
		names = append(names, k)
	}
	sort.Strings(names)
	fmt.Println("{")
	for i, n := range names {
		var b bytes.Buffer
		quoted := json.NewEncoder(&b)
		quoted.SetEscapeHTML(false)
		_ = quoted.Encode(found[n])
		end := ","
		if i == len(names)-1 {
			end = ""
		}
		fmt.Printf("%q: %s%s\n", n, strings.ReplaceAll(strings.TrimSpace(b.String()), "\",\"", "\", \""), end)
	}
	fmt.Println("}")
}
