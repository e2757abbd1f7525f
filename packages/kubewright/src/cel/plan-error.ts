/** Thrown when a constant part of an expression fails; `compile` turns it into an issue. */
export class PlanError extends Error {}
