/** Flags that may stand without a value. */
const SWITCHES: ReadonlySet<string> = new Set(
  (
    'auto-tls client-cert-auth discovery-insecure-skip-tls-verify discovery-insecure-transport enable-distributed-tracing ' +
    'enable-grpc-gateway enable-log-rotation enable-pprof experimental-compact-hash-check-enabled ' +
    'experimental-enable-distributed-tracing experimental-enable-lease-checkpoint ' +
    'experimental-enable-lease-checkpoint-persist experimental-initial-corrupt-check experimental-memory-mlock ' +
    'experimental-peer-skip-client-san-verification experimental-stop-grpc-service-on-defrag ' +
    'experimental-txn-mode-write-with-shared-buffer force-new-cluster initial-election-tick-advance memory-mlock ' +
    'peer-auto-tls peer-client-cert-auth peer-skip-client-san-verification pre-vote socket-reuse-address ' +
    'socket-reuse-port strict-reconfig-check unsafe-no-fsync help version'
  ).split(' '),
)

/** Flags that take a value. */
const VALUED: ReadonlySet<string> = new Set(
  (
    'advertise-client-urls auth-token auth-token-ttl auto-compaction-mode auto-compaction-retention backend-batch-interval ' +
    'backend-batch-limit backend-bbolt-freelist-type bcrypt-cost bootstrap-defrag-threshold-megabytes cert-file cipher-suites ' +
    'client-cert-allowed-hostname client-cert-file client-crl-file client-key-file compact-hash-check-time ' +
    'compaction-batch-limit compaction-sleep-interval config-file corrupt-check-time cors data-dir discovery discovery-cacert ' +
    'discovery-cert discovery-dial-timeout discovery-endpoints discovery-fallback discovery-keepalive-time ' +
    'discovery-keepalive-timeout discovery-key discovery-password discovery-proxy discovery-request-timeout discovery-srv ' +
    'discovery-srv-name discovery-token discovery-user distributed-tracing-address distributed-tracing-instance-id ' +
    'distributed-tracing-sampling-rate distributed-tracing-service-name downgrade-check-time election-timeout ' +
    'experimental-bootstrap-defrag-threshold-megabytes experimental-compact-hash-check-time ' +
    'experimental-compaction-batch-limit experimental-compaction-sleep-interval experimental-corrupt-check-time ' +
    'experimental-distributed-tracing-address experimental-distributed-tracing-instance-id ' +
    'experimental-distributed-tracing-sampling-rate experimental-distributed-tracing-service-name ' +
    'experimental-downgrade-check-time experimental-snapshot-catchup-entries experimental-warning-apply-duration ' +
    'experimental-warning-unary-request-duration experimental-watch-progress-notify-interval feature-gates ' +
    'grpc-keepalive-interval grpc-keepalive-min-time grpc-keepalive-timeout heartbeat-interval host-whitelist ' +
    'initial-advertise-peer-urls initial-cluster initial-cluster-state initial-cluster-token key-file listen-client-http-urls ' +
    'listen-client-urls listen-metrics-urls listen-peer-urls log-format log-level log-outputs log-rotation-config-json logger ' +
    'max-concurrent-streams max-learners max-request-bytes max-snapshots max-txn-ops max-wals metrics name ' +
    'peer-cert-allowed-cn peer-cert-allowed-hostname peer-cert-file peer-client-cert-file peer-client-key-file peer-crl-file ' +
    'peer-key-file peer-trusted-ca-file quota-backend-bytes raft-read-timeout raft-write-timeout ' +
    'self-signed-cert-validity snapshot-catchup-entries snapshot-count tls-max-version tls-min-version trusted-ca-file ' +
    'v2-deprecation wal-dir warning-apply-duration warning-unary-request-duration watch-progress-notify-interval'
  ).split(' '),
)

/** The names of all flags of etcd, in order. */
export const ETCD_FLAGS: readonly string[] = [...SWITCHES, ...VALUED].sort()

/** What etcd is told that matters here; of a flag given twice the last counts. */
export interface EtcdOptions {
  /** The folder that holds the objects. Default `<name>.etcd` in the working directory. */
  readonly dataDir: string
  /** `http://ADDRESS:PORT` of each place to listen. */
  readonly listen: readonly URL[]
  /** A write is answered only when it is on disk. Default true; false with `--unsafe-no-fsync`. */
  readonly fsync: boolean
}

/** A command line that etcd refuses, in the words of Go's flag package. */
export class EtcdUsage extends Error {
  override readonly name = 'EtcdUsage'
}

/** Reads etcd's arguments (etcd v3.6): one dash or two, `=` or the next argument. Throws {@link EtcdUsage}. */
export function etcdOptions(argv: readonly string[]): EtcdOptions {
  const given = etcdFlags(argv)
  const name = given.get('name') ?? 'default'
  const listen = given.get('listen-client-http-urls') || given.get('listen-client-urls')
  return {
    dataDir: given.get('data-dir') || `${name}.etcd`,
    listen: (listen ?? 'http://localhost:2379').split(',').map(clientUrl),
    fsync: given.get('unsafe-no-fsync') !== 'true',
  }
}

/** Every flag with its value, `true` or `false` for switches. Throws {@link EtcdUsage}. */
export function etcdFlags(argv: readonly string[]): ReadonlyMap<string, string> {
  const given = new Map<string, string>()
  for (let at = 0; at < argv.length; at++) {
    const argument = argv[at]!
    const [, name, inline] = /^--?([^-=][^=]*)(?:=([^]*))?$/.exec(argument) ?? []
    if (name === undefined) throw new EtcdUsage(notAFlag(argument))
    if (SWITCHES.has(name)) given.set(name, switchOf(name, inline))
    else if (VALUED.has(name)) given.set(name, inline ?? argv[++at] ?? missing(name))
    else throw new EtcdUsage(`flag provided but not defined: -${name}`)
  }
  return given
}

const notAFlag = (argument: string): string =>
  argument.startsWith('-')
    ? `bad flag syntax: ${argument}`
    : `'${argument}' is not a valid flag; etcd takes flags alone`

function missing(name: string): never {
  throw new EtcdUsage(`flag needs an argument: -${name}`)
}

function switchOf(name: string, text = 'true'): string {
  if (/^(1|t|T|true|TRUE|True)$/.test(text)) return 'true'
  if (/^(0|f|F|false|FALSE|False)$/.test(text)) return 'false'
  throw new EtcdUsage(`invalid boolean value "${text}" for -${name}: parse error`)
}

function clientUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const refuse = (why: string): never => {
    throw new EtcdUsage(`invalid value "${text}" for flag -listen-client-urls: ${why}`)
  }
  if (!url || !/^(https?|unixs?):$/.test(url.protocol))
    return refuse(`URL scheme must be http, https, unix, or unixs: ${text}`)
  if (url.protocol !== 'http:')
    return refuse('this etcd listens on http alone; give it an http:// address of this machine')
  return url
}
