import type { OpenApiDocument } from './document.ts'
import {
  double,
  each,
  flag,
  integer,
  message,
  nested,
  optional,
  text,
  texts,
  type Encoded,
} from './protobuf.ts'

/** The media type of an OpenAPI v2 document in protobuf. */
export const PROTOBUF_V2 = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'

type Json = Readonly<Record<string, unknown>>

/**
 * An OpenAPI v2 document in protobuf (github.com/google/gnostic-models, openapiv2/OpenAPIv2.proto), which is the only form in which
 * client-go's discovery takes it. Numbers in comments there are the field numbers here.
 */
export function documentProtobuf(document: OpenApiDocument): Encoded {
  const { title, version } = document.info as Json
  return message(
    text(1, document.swagger),
    nested(2, message(text(1, title), text(2, version))),
    nested(8, members(2, document.paths as Json, pathItem)),
    nested(9, members(1, document.definitions as Json, schema)),
    nested(10, members(1, document.parameters as Json, parameter)),
    each(document.security, (it) => nested(12, members(1, it as Json, stringArray))),
    nested(13, members(1, document.securityDefinitions as Json, securityDefinition)),
  )
}

/** A map: each member under its name. */
function members(field: number, map: Json, encode: (value: Json) => Encoded): Encoded {
  const all = Object.entries(map).map(([name, value]) =>
    nested(field, message(text(1, name), nested(2, encode(value as Json)))),
  )
  return message(...all)
}

const stringArray = (values: unknown): Encoded => texts(1, values)

const securityDefinition = (it: Json): Encoded =>
  nested(2, message(text(1, it.type), text(2, it.name), text(3, it.in), text(4, it.description)))

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch']

function pathItem(item: Json): Encoded {
  const operations = METHODS.map((method, index) =>
    optional(index + 2, item[method] as Json | undefined, operation),
  )
  return message(...operations, parameters(9, item.parameters))
}

function operation(it: Json): Encoded {
  return message(
    texts(1, it.tags),
    text(3, it.description),
    text(5, it.operationId),
    texts(6, it.produces),
    texts(7, it.consumes),
    parameters(8, it.parameters),
    nested(9, members(1, it.responses as Json, response)),
    texts(10, it.schemes),
    extensions(13, it),
  )
}

const parameters = (field: number, all: unknown): Encoded =>
  each(all, (it) => {
    const { $ref } = it as Json
    const reference = (): Encoded => nested(2, message(text(1, $ref)))
    return nested(field, $ref === undefined ? nested(1, parameter(it as Json)) : reference())
  })

function parameter(it: Json): Encoded {
  const { name, in: place, required, type, uniqueItems } = it
  switch (place) {
    case 'body':
      return nested(
        1,
        message(
          text(2, name),
          text(3, place),
          flag(4, required),
          optional(5, it.schema as Json, schema),
        ),
      )
    case 'path':
      return nested(
        2,
        nested(
          4,
          message(
            flag(1, required),
            text(2, place),
            text(4, name),
            text(5, type),
            flag(19, uniqueItems),
          ),
        ),
      )
    default:
      return nested(
        2,
        nested(
          3,
          message(
            flag(1, required),
            text(2, place),
            text(4, name),
            text(6, type),
            flag(20, uniqueItems),
          ),
        ),
      )
  }
}

const response = (it: Json): Encoded =>
  nested(
    1,
    message(
      text(1, it.description),
      optional(2, it.schema as Json | undefined, (of) => nested(1, schema(of))),
    ),
  )

function schema(it: Json): Encoded {
  return message(
    text(1, it.$ref),
    text(2, it.format),
    text(3, it.title),
    text(4, it.description),
    optional(5, it.default, any),
    limits(it),
    texts(19, it.required),
    each(it.enum, (value) => nested(20, any(value))),
    optional(21, it.additionalProperties, additionalProperties),
    optional(22, it.type, (type) => texts(1, [type])),
    optional(23, it.items as Json | undefined, (items) => nested(1, schema(items))),
    each(it.allOf, (part) => nested(24, schema(part as Json))),
    optional(25, it.properties as Json | undefined, (all) => members(1, all, schema)),
    extensions(31, it),
  )
}

const limits = (it: Json): Encoded =>
  message(
    double(6, it.multipleOf),
    double(7, it.maximum),
    flag(8, it.exclusiveMaximum),
    double(9, it.minimum),
    flag(10, it.exclusiveMinimum),
    integer(11, it.maxLength),
    integer(12, it.minLength),
    text(13, it.pattern),
    integer(14, it.maxItems),
    integer(15, it.minItems),
    flag(16, it.uniqueItems),
    integer(17, it.maxProperties),
    integer(18, it.minProperties),
  )

const additionalProperties = (it: unknown): Encoded =>
  typeof it === 'boolean' ? flag(2, it) : nested(1, schema(it as Json))

/** Anything, as YAML, which JSON is. */
const any = (value: unknown): Encoded => text(2, JSON.stringify(value))

function extensions(field: number, it: Json): Encoded {
  const all = Object.entries(it).filter(([name]) => name.startsWith('x-'))
  return message(
    ...all.map(([name, value]) => nested(field, message(text(1, name), nested(2, any(value))))),
  )
}
