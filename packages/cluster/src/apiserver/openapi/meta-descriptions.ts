/**
 * What the fields that every object has are for: custom resources have only these to tell `kubectl explain` what their authors did
 * not write. By the name of a field.
 */
export const OBJECT_FIELD_DESCRIPTIONS: Readonly<
  Record<'apiVersion' | 'kind' | 'metadata', string>
> = Object.freeze({
  apiVersion: 'APIVersion defines which group and version of its schema this object follows.',
  kind: 'Kind says what this object is, in CamelCase. It never changes.',
  metadata:
    "Standard object's metadata: its name and labels, and what the server remembers about it.",
})

/** Of meta/v1 ObjectMeta itself, under the empty name, and of its fields. */
export const METADATA_DESCRIPTIONS: Readonly<Record<string, string>> = Object.freeze({
  '': 'ObjectMeta is what every stored object has, whatever its kind.',
  annotations:
    'Annotations are notes of tools and people about the object, of any size and shape. They cannot be selected by.',
  creationTimestamp:
    'CreationTimestamp is a timestamp of the moment when the server created the object (RFC 3339, UTC). Set by the server.',
  deletionGracePeriodSeconds:
    'How many seconds the object has to end gracefully once it is being deleted. Set by the server.',
  deletionTimestamp:
    'DeletionTimestamp is when the object is to be gone: it is set when somebody deletes it, and nothing takes it back. The object stays until its finalizers are gone.',
  finalizers:
    'Finalizers name what has to be done before the object may go. Whoever has done it removes its own; the last one gone, so is the object.',
  generateName:
    'GenerateName is the beginning of a name that the server completes, for objects that are created without a name.',
  generation: 'Generation counts the changes of what is wanted of the object. Set by the server.',
  labels: 'Labels are short keys and values by which the object is found and grouped.',
  managedFields:
    'ManagedFields keeps who set which field, for server-side apply. Kept by the server.',
  name: 'Name is unique within the namespace and the resource. It never changes.',
  namespace:
    'Namespace is the space in which the name is unique; empty for objects of the whole cluster. It never changes.',
  ownerReferences:
    'OwnerReferences name the objects that this one belongs to: when all of them are gone, so is it. One of them at most is its controller.',
  resourceVersion:
    'ResourceVersion changes with every write. An update that names another than the current one is refused; its value means nothing otherwise. Set by the server.',
  selfLink: 'SelfLink is no longer set.',
  uid: 'UID is this object and no other, even of the same name before or after it. Set by the server.',
})
