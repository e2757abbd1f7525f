import table from './data/flags.json' with { type: 'json' }

/** How a flag's value is written (spf13/pflag): `strings` is split at commas, `stringArray` takes each value whole. */
export type FlagType =
  | 'bool'
  | 'int'
  | 'float'
  | 'string'
  | 'strings'
  | 'stringArray'
  | 'duration'
  | 'ip'
  | 'map'
  | 'other'

/** A flag of kube-apiserver: how its value is written, and what it is where nobody gives it. */
export interface FlagSpec {
  readonly type: FlagType
  readonly default: string
}

const TYPES: Readonly<Record<string, FlagType>> = {
  bool: 'bool',
  int: 'int',
  float: 'float',
  float32: 'float',
  string: 'string',
  strings: 'strings',
  stringArray: 'stringArray',
  duration: 'duration',
  ip: 'ip',
  mapStringString: 'map',
  stringToString: 'map',
  colonSeparatedMultimapStringString: 'map',
}

const entries = Object.entries(table.flags as Readonly<Record<string, readonly string[]>>)

/** Every flag that kube-apiserver v1.36 takes, by name. */
export const FLAGS: ReadonlyMap<string, FlagSpec> = new Map(
  entries.map(([name, [type = '', given]]) => [
    name,
    { type: TYPES[type] ?? 'other', default: given ?? '' },
  ]),
)

/** Which feature gates there are, and which of them are on. */
export const FEATURE_GATES: ReadonlyMap<string, boolean> = new Map(Object.entries(table.gates))

/** Of the gates that are not settled, how far each has come: those that `AllAlpha` and `AllBeta` turn on and off. */
export const GATE_STAGES: ReadonlyMap<string, 'ALPHA' | 'BETA'> = new Map([
  ...table.alpha.map((it) => [it, 'ALPHA'] as const),
  ...table.beta.map((it) => [it, 'BETA'] as const),
])

/** The names of all admission plugins, on or off. */
export const ADMISSION_PLUGIN_NAMES: ReadonlySet<string> = new Set(table.plugins)
