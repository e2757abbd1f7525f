import { badRequest, nameIsPathSegment, notFound, type UnknownObject } from 'kubewright/machinery'
import type { Strategy, StrategyContext } from '../registry/strategy.ts'
import type { Stored } from '../storage/storage.ts'
import { type Exchange, remarksOf } from './exchange.ts'
import type { Served } from './served.ts'
import type { ServerParts } from './server-parts.ts'
import type { Views } from './view.ts'

/** A request for a resource, once it is known which: what every verb works with. */
export interface Call {
  readonly parts: ServerParts
  readonly served: Served
  readonly views: Views
  readonly exchange: Exchange
  readonly namespace: string
  readonly name: string
  /** Empty for the resource itself. */
  readonly subresource: string
}

/** Where an object lies. Throws the ApiError of a name that cannot lie anywhere (apiserver/pkg/registry/generic NamespaceKeyFunc). */
export function keyOf({ served, namespace, name }: Call): string {
  if (/^\.\.?$|[%/]/.test(name))
    throw badRequest(
      `Name parameter invalid: ${JSON.stringify(name)}: ${nameIsPathSegment(name, false).join(';')}`,
    )
  return `${served.info.storageKey}/${namespace}/${name}`
}

/** Where the objects of a collection lie: those of one namespace, or of all. */
export const prefixOf = ({ served, namespace }: Call): string =>
  namespace === '' ? `${served.info.storageKey}/` : `${served.info.storageKey}/${namespace}/`

/** The 404 of the object that a call names. */
export const absent = ({ served, name }: Call): Error => notFound(served.info, name)

/** The strategy that a write through this (sub)resource follows: a view of the object has hooks of its own, its defaults it shares. */
export function strategyOf({ served, subresource }: Call): Strategy {
  const own = subresource === '' ? undefined : served.strategy.subresources?.[subresource]
  if (!own) return served.strategy
  const { applyDefaults, allowUnconditionalUpdate, finalized } = served.strategy
  return {
    ...(applyDefaults ? { applyDefaults } : {}),
    ...(allowUnconditionalUpdate === undefined ? {} : { allowUnconditionalUpdate }),
    ...(finalized ? { finalized } : {}),
    ...own,
  }
}

/** What strategies and admission may know of a call. */
export function contextOf(call: Call, dryRun: boolean): StrategyContext {
  const { clock, random, storage, networks } = call.parts
  const { user, warnings } = call.exchange
  return {
    clock,
    random,
    resource: call.served.info,
    namespace: call.namespace,
    dryRun,
    networks,
    user: {
      name: user.name,
      groups: user.groups,
      ...(user.uid ? { uid: user.uid } : {}),
      ...(user.extra ? { extra: user.extra } : {}),
    },
    find: async (storageKey, namespace, name) =>
      (await storage.get(`${storageKey}/${namespace}/${name}`))?.object,
    all: async (storageKey, namespace) => {
      const prefix = namespace === '' ? `${storageKey}/` : `${storageKey}/${namespace}/`
      return (await storage.list({ prefix })).items.map((it) => it.object)
    },
    warn: (text) => void warnings.push(text),
    annotate: remarksOf(call.exchange).annotate,
  }
}

/** By when a call must be done, where it must. */
export const timesOf = ({ exchange }: Call): { readonly deadline?: number } =>
  exchange.deadline === undefined ? {} : { deadline: exchange.deadline }

/** A stored object as this call's version shows it. */
export const viewed = (call: Call, stored: Stored): UnknownObject => call.views.of(stored).object
