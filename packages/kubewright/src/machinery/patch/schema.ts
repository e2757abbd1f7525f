/**
 * What a strategic merge needs to know of one object type. The adapter in openapi-patch-schema.ts reads it from
 * OpenAPI; anything else that answers these questions will do.
 */
export interface PatchSchema {
  /**
   * How the member `key` of an object of this type merges. Called only for members that hold an object or a list
   * on both sides.
   * @throws PatchError Internal when the type has no such member.
   */
  field(key: string): PatchField
}

/** How one member merges. */
export interface PatchField {
  /**
   * `replace`: take the patch's value whole (lists do so when nothing is said); `merge`: merge list items;
   * the empty string: merge objects, replace lists.
   */
  readonly strategy: '' | 'merge' | 'replace'
  /** The type asks for `$retainKeys` in generated patches: members left out of the new value are cleared. */
  readonly retainKeys: boolean
  /** The member that identifies an item of a merged list of objects; empty for lists of scalars. */
  readonly mergeKey: string
  /** The type of the member's value when it is an object, or of its items when it is a list. */
  readonly schema: PatchSchema
}
