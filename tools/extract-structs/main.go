// extract-structs prints, as JSON, what Go's JSON codec knows of every API struct and an OpenAPI document does not: the fields'
// order, their Go types, and which of them are written when they are empty. `go run . > structs.json`.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"sort"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	admissionregistrationv1alpha1 "k8s.io/api/admissionregistration/v1alpha1"
	admissionregistrationv1beta1 "k8s.io/api/admissionregistration/v1beta1"
	apiserverinternalv1alpha1 "k8s.io/api/apiserverinternal/v1alpha1"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	certificatesv1alpha1 "k8s.io/api/certificates/v1alpha1"
	certificatesv1beta1 "k8s.io/api/certificates/v1beta1"
	coordinationv1 "k8s.io/api/coordination/v1"
	coordinationv1alpha2 "k8s.io/api/coordination/v1alpha2"
	coordinationv1beta1 "k8s.io/api/coordination/v1beta1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	eventsv1 "k8s.io/api/events/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	networkingv1 "k8s.io/api/networking/v1"
	networkingv1beta1 "k8s.io/api/networking/v1beta1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	resourcev1beta1 "k8s.io/api/resource/v1beta1"
	resourcev1beta2 "k8s.io/api/resource/v1beta2"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1alpha2 "k8s.io/api/scheduling/v1alpha2"
	storagev1 "k8s.io/api/storage/v1"
	storagev1beta1 "k8s.io/api/storage/v1beta1"
	storagemigrationv1beta1 "k8s.io/api/storagemigration/v1beta1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// field is one JSON member of a struct, in the order in which Go writes it.
type field struct {
	Name string `json:"name"`
	Type string `json:"type"`
	// "" always written, "empty" left out when empty, "zero" left out when zero (a struct whose every field is zero).
	Omit string `json:"omit,omitempty"`
	// The embedded structs that the member comes from, outermost first, joined by dots.
	Via string `json:"via,omitempty"`
}

type structure struct {
	Name   string  `json:"name"`
	Fields []field `json:"fields"`
}

type lifecycle struct {
	Deprecated  string `json:"deprecated,omitempty"`
	Removed     string `json:"removed,omitempty"`
	Replacement string `json:"replacement,omitempty"`
}

type modelNamer interface{ OpenAPIModelName() string }
type deprecated interface{ APILifecycleDeprecated() (major, minor int) }
type removed interface{ APILifecycleRemoved() (major, minor int) }
type replaced interface {
	APILifecycleReplacement() schema.GroupVersionKind
}

var structures = map[string]structure{}
var unmarshaler = reflect.TypeOf((*json.Unmarshaler)(nil)).Elem()

func modelName(t reflect.Type) string {
	if namer, ok := reflect.Zero(t).Interface().(modelNamer); ok {
		return namer.OpenAPIModelName()
	}
	return ""
}

// typeText is `string`, `[]T`, `*T`, `map[K]T`, `v1.Phase=string` (a named plain type), `#definition` (a struct), or
// `!definition` (a type with a JSON form of its own).
func typeText(t reflect.Type) string {
	if reflect.PointerTo(t).Implements(unmarshaler) {
		if name := modelName(t); name != "" {
			return "!" + name
		}
		return "!" + t.String()
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + typeText(t.Elem())
	case reflect.Slice:
		text := "[]" + typeText(t.Elem())
		if t.Name() != "" {
			return t.String() + "=" + text
		}
		return text
	case reflect.Map:
		text := "map[" + typeText(t.Key()) + "]" + typeText(t.Elem())
		if t.Name() != "" {
			return t.String() + "=" + text
		}
		return text
	case reflect.Struct:
		name := modelName(t)
		if name == "" {
			panic("no model name: " + t.String())
		}
		visit(t, name)
		return "#" + name
	case reflect.Interface:
		return "any"
	}
	if t.PkgPath() != "" {
		return t.String() + "=" + t.Kind().String()
	}
	return t.Kind().String()
}

func visit(t reflect.Type, name string) {
	if _, seen := structures[name]; seen {
		return
	}
	structures[name] = structure{Name: t.Name()}
	structures[name] = structure{Name: t.Name(), Fields: fieldsOf(t)}
}

func fieldsOf(t reflect.Type) []field {
	fields := []field{}
	for i := range t.NumField() {
		it := t.Field(i)
		tag, tagged := it.Tag.Lookup("json")
		name, options, _ := strings.Cut(tag, ",")
		if name == "-" || !it.IsExported() {
			continue
		}
		if it.Anonymous && name == "" {
			if it.Type.Kind() != reflect.Struct {
				panic("embedded pointer: " + t.String() + "." + it.Name)
			}
			for _, promoted := range fieldsOf(it.Type) {
				promoted.Via = strings.TrimSuffix(it.Name+"."+promoted.Via, ".")
				fields = append(fields, promoted)
			}
			continue
		}
		if !tagged || name == "" {
			name = it.Name
		}
		omit := ""
		if strings.Contains(options, "omitempty") {
			omit = "empty"
		}
		if strings.Contains(options, "omitzero") {
			omit = "zero"
		}
		fields = append(fields, field{Name: name, Type: typeText(it.Type), Omit: omit})
	}
	return fields
}

func main() {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		admissionregistrationv1.AddToScheme, appsv1.AddToScheme, authenticationv1.AddToScheme, authorizationv1.AddToScheme,
		autoscalingv1.AddToScheme, autoscalingv2.AddToScheme, batchv1.AddToScheme, certificatesv1.AddToScheme,
		coordinationv1.AddToScheme, corev1.AddToScheme, discoveryv1.AddToScheme, eventsv1.AddToScheme, flowcontrolv1.AddToScheme,
		networkingv1.AddToScheme, nodev1.AddToScheme, policyv1.AddToScheme, rbacv1.AddToScheme, resourcev1.AddToScheme,
		schedulingv1.AddToScheme, storagev1.AddToScheme, apiextensionsv1.AddToScheme, apiregistrationv1.AddToScheme,
		admissionregistrationv1alpha1.AddToScheme,
		admissionregistrationv1beta1.AddToScheme,
		apiserverinternalv1alpha1.AddToScheme,
		certificatesv1alpha1.AddToScheme,
		certificatesv1beta1.AddToScheme,
		coordinationv1alpha2.AddToScheme,
		coordinationv1beta1.AddToScheme,
		networkingv1beta1.AddToScheme,
		resourcev1alpha3.AddToScheme,
		resourcev1beta1.AddToScheme,
		resourcev1beta2.AddToScheme,
		schedulingv1alpha2.AddToScheme,
		storagev1beta1.AddToScheme,
		storagemigrationv1beta1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
	kinds := map[string]string{}
	lifecycles := map[string]lifecycle{}
	for gvk, t := range scheme.AllKnownTypes() {
		if gvk.Version == runtime.APIVersionInternal {
			continue
		}
		name := modelName(t)
		if name == "" {
			continue
		}
		key := strings.TrimPrefix(gvk.Group+"/"+gvk.Version+"/"+gvk.Kind, "/")
		kinds[key] = name
		visit(t, name)
		object := reflect.New(t).Interface()
		if it, ok := object.(deprecated); ok {
			major, minor := it.APILifecycleDeprecated()
			told := lifecycle{Deprecated: fmt.Sprintf("%d.%d", major, minor)}
			if it, ok := object.(removed); ok {
				major, minor := it.APILifecycleRemoved()
				told.Removed = fmt.Sprintf("%d.%d", major, minor)
			}
			if by, ok := object.(replaced); ok {
				to := by.APILifecycleReplacement()
				told.Replacement = strings.TrimPrefix(to.Group+"/"+to.Version, "/") + " " + to.Kind
			}
			lifecycles[key] = told
		}
	}
	names := make([]string, 0, len(structures))
	for name := range structures {
		names = append(names, name)
	}
	sort.Strings(names)
	fmt.Fprintf(os.Stderr, "%d structs, %d kinds\n", len(names), len(kinds))
	encoder := json.NewEncoder(os.Stdout)
	if err := encoder.Encode(map[string]any{"structs": structures, "kinds": kinds, "lifecycles": lifecycles}); err != nil {
		panic(err)
	}
}
