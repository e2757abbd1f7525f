import { gunzipSync } from 'node:zlib'
import { stringify } from 'yaml'
import { inOrder } from '../kubectl/normalise.ts'
import { pairShown, pemShown } from './certificates.ts'

type Json = unknown
type Fields = { readonly [name: string]: Json }

/**
 * An object as YAML that two runs would write alike: without times, uids, versions and random names; conditions as a line each, field
 * managers as a list, and what a Secret holds in words.
 */
export const shown = (object: Json): string =>
  withoutChance(stringify(plain(object), { lineWidth: 0, sortMapEntries: true })).trimEnd()

function plain(it: Json): Json {
  if (!isFields(it)) return it
  if (Array.isArray(it['items'])) return it['items'].map(plain)
  return { ...it, ...metadataPlain(it), ...statusPlain(it), ...dataPlain(it), ...bundlesPlain(it) }
}

/** What is another in every run, or depends on how often somebody wrote. */
const DROPPED: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'generateName',
])

function metadataPlain({ metadata }: Fields): Fields {
  if (!isFields(metadata)) return {}
  const { managedFields, ...rest } = metadata
  const kept = Object.entries(rest).filter(([name]) => !DROPPED.has(name))
  const managers = Array.isArray(managedFields) ? { managers: managersPlain(managedFields) } : {}
  return { metadata: { ...Object.fromEntries(kept), ...managers } }
}

/** Several controllers of cert-manager's write one status: who comes first, and so has its beginning, is chance. */
const withoutTurn = (manager: Json): string =>
  String(manager).replace(/^(cert-manager-certificates)-.*/, '$1')

const managersPlain = (entries: readonly Fields[]): readonly string[] =>
  [
    ...new Set(
      entries.map(
        (it) =>
          `${withoutTurn(it['manager'])} ${String(it['operation'])}${it['subresource'] ? ` ${String(it['subresource'])}` : ''}`,
      ),
    ),
  ].toSorted()

function statusPlain({ status, metadata }: Fields): Fields {
  if (!isFields(status)) return {}
  const generation = isFields(metadata) ? metadata['generation'] : undefined
  const age = (it: Json): string =>
    it === generation ? 'now' : `${String(it)}, and not ${String(generation)}`
  const out: Record<string, Json> = { ...status }
  if ('observedGeneration' in status) out['observedGeneration'] = age(status['observedGeneration'])
  if (Array.isArray(status['conditions']))
    out['conditions'] = status['conditions'].map((it: Fields) => conditionPlain(it, age)).toSorted()
  return { status: out }
}

function conditionPlain(it: Fields, age: (generation: Json) => string): string {
  const { type, status, reason, message, observedGeneration } = it
  return [
    `${String(type)} ${String(status)}`,
    ...(reason ? [String(reason)] : []),
    ...(message ? [String(message)] : []),
    ...(observedGeneration === undefined ? [] : [`of ${age(observedGeneration)}`]),
  ].join(': ')
}

/** What a Secret, or a request for a certificate, carries. */
function dataPlain(it: Fields): Fields {
  if (it['kind'] === 'CertificateRequest') return requestPlain(it)
  const { data } = it
  if (it['kind'] !== 'Secret' || !isFields(data)) return {}
  const texts = Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, decoded(name, String(value))]),
  )
  const words = Object.entries(texts).map(([name, text]) => [name, pemShown(text) ?? text])
  const { 'tls.crt': certificate, 'tls.key': key, 'ca.crt': authority } = texts
  const pair = certificate && key ? { pair: pairShown(certificate, key, authority) } : {}
  return { data: Object.fromEntries(words), ...pair }
}

const decoded = (name: string, value: string): string => {
  const bytes = Buffer.from(value, 'base64')
  return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()
}

function requestPlain({ spec, status }: Fields): Fields {
  if (!isFields(spec)) return {}
  const words = (it: Json): Json =>
    typeof it === 'string' ? pemShown(Buffer.from(it, 'base64').toString()) : it
  const before = statusPlain({ status })['status'] as Fields | undefined
  const certificates = Object.fromEntries(
    ['ca', 'certificate'].filter((it) => before?.[it]).map((it) => [it, words(before?.[it])]),
  )
  return {
    spec: { ...spec, request: words(spec['request']) },
    ...(before ? { status: { ...before, ...certificates } } : {}),
  }
}

/** A bundle of authorities that somebody put into a configuration: what it holds. */
function bundlesPlain({ webhooks, spec, kind }: Fields): Fields {
  if (kind === 'CustomResourceDefinition') return { spec: conversionPlain(spec as Fields) }
  if (Array.isArray(webhooks))
    return {
      webhooks: webhooks.map((it: Fields) => ({
        ...it,
        clientConfig: bundlePlain(it['clientConfig']),
      })),
    }
  return kind === 'APIService' ? { spec: bundlePlain(spec) } : {}
}

function conversionPlain(spec: Fields): Fields {
  const conversion = spec['conversion'] as Fields | undefined
  const webhook = conversion?.['webhook']
  if (!isFields(webhook)) return spec
  const clientConfig = bundlePlain(webhook['clientConfig'])
  return { ...spec, conversion: { ...conversion, webhook: { ...webhook, clientConfig } } }
}

function bundlePlain(it: Json): Json {
  if (!isFields(it) || typeof it['caBundle'] !== 'string') return it
  return { ...it, caBundle: pemShown(Buffer.from(it['caBundle'], 'base64').toString()) }
}

/** What differs from run to run, and what stands for it. */
const RULES: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, '<uid>'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g, '<time>'],
  [/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000 UTC/g, '<time>'],
  [/\b(?:127\.0\.0\.1|localhost):\d+/g, '<address>'],
  [/\b10\.\d+\.\d+\.\d+\b/g, '<ip>'],
  [
    /\b(controller-revision-hash: |[cC]urrentRevision: |updateRevision: |statefulset\.kubernetes\.io\/revision: ).*/g,
    '$1<hash>',
  ],
  [/-[bcdf-hj-np-tv-xz2456789]{5}\b/g, '-<random>'],
]

/** A text without what differs from run to run. */
const withoutChance = (text: string): string =>
  RULES.reduce((left, [pattern, replacement]) => left.replace(pattern, replacement), text)

const isFields = (it: Json): it is Fields =>
  typeof it === 'object' && it !== null && !Array.isArray(it)

/** The same of a table or a sentence, whose columns may be wider, and whose ages others. */
export const tableShown = (text: string): string =>
  inOrder(withoutChance(text))
    .replace(/(?<=[ (])(?:\d+[smhd])+(?: ago)?(?=\)| |$)/gm, '<age>')
    .replace(/(?<=\S) {2,}(?=\S)/g, '  ')
