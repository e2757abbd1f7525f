/**
 * Desired state as data: what a parent should have, as functions of it; the runtime applies, prunes, orders, deletes and reports. A layer on
 * top of controllers that nobody needs: reconciling by hand is as good.
 *
 * In: a kind, and dependents by name. Out: a ControllerDefinition like any other.
 */
export { type KeepOptions, type Parent, keepDependents } from './keep-dependents.ts'
export {
  type Dependent,
  type Dependents,
  type DependentOptions,
  type External,
  type PlaceOptions,
  type Results,
  dependent,
  dependentsOf,
  external,
} from './dependent.ts'
export { DEPENDENT_LABEL } from './keeper.ts'
