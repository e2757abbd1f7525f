import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js'

/** One way to keep a text from whoever reads the store: `prefix` tells in the store which it was. */
export interface Transformer {
  readonly prefix: string
  /** `context` is where the value lies: one that was moved cannot be read. */
  readonly encrypt: (text: string, context: string) => string
  /** Throws an Error in the words of kube-apiserver. */
  readonly decrypt: (data: string, context: string) => string
}

/** A key with a name, by which values tell with which they were encrypted. */
export interface NamedKey {
  readonly name: string
  readonly secret: Buffer
}

/** What encrypted values begin with, whatever the provider. */
export const MARK = 'k8s:enc:'

type Cipher = (
  key: Buffer,
  context: string,
) => { readonly seal: (text: string) => Buffer; readonly open: (data: Buffer) => string }

/** Encrypts with the first key, reads with whichever a value names (apiserver/pkg/storage/value PrefixTransformers). */
function keyed(
  provider: string,
  keys: readonly NamedKey[],
  cipher: Cipher,
  shown: string = 'AES',
): Transformer {
  const prefix = `${MARK}${provider}:v1:`
  return {
    prefix,
    encrypt: (text, context) => {
      const { name, secret } = keys[0]!
      return `${prefix}${name}:${cipher(secret, context).seal(text).toString('base64')}`
    },
    decrypt: (data, context) => {
      const rest = data.slice(prefix.length)
      const key = keys.find(({ name }) => rest.startsWith(`${name}:`))
      if (!key) throw new Error(`no matching key was found for the provided ${shown} transformer`)
      const bytes = Buffer.from(rest.slice(key.name.length + 1), 'base64')
      return cipher(key.secret, context).open(bytes)
    },
  }
}

const NONCE = 12
const TAG = 16
const BLOCK = 16

const TOO_SHORT = 'the stored data was shorter than the required size'

/** AES-GCM with random nonces: what was changed is noticed. */
export const aesGcm = (keys: readonly NamedKey[]): Transformer =>
  keyed('aesgcm', keys, (key, context) => {
    const algorithm = `aes-${key.length * 8}-gcm` as 'aes-256-gcm'
    return {
      seal: (text) => {
        const nonce = randomBytes(NONCE)
        const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(context))
        const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
        return Buffer.concat([nonce, sealed, cipher.getAuthTag()])
      },
      open: (data) => {
        if (data.length < NONCE + TAG) throw new Error(TOO_SHORT)
        const decipher = createDecipheriv(algorithm, key, data.subarray(0, NONCE))
        decipher.setAAD(Buffer.from(context)).setAuthTag(data.subarray(-TAG))
        try {
          const text = decipher.update(data.subarray(NONCE, -TAG))
          return Buffer.concat([text, decipher.final()]).toString()
        } catch {
          throw new Error('cipher: message authentication failed')
        }
      },
    }
  })

/** AES-CBC with PKCS#7 padding. */
export const aesCbc = (keys: readonly NamedKey[]): Transformer =>
  keyed('aescbc', keys, (key) => {
    const algorithm = `aes-${key.length * 8}-cbc`
    return {
      seal: (text) => {
        const iv = randomBytes(BLOCK)
        const cipher = createCipheriv(algorithm, key, iv)
        return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final()])
      },
      open: (data) => {
        if (data.length < BLOCK) throw new Error(TOO_SHORT)
        if (data.length % BLOCK !== 0)
          throw new Error('the stored data is not a multiple of the block size')
        try {
          const decipher = createDecipheriv(algorithm, key, data.subarray(0, BLOCK))
          return Buffer.concat([decipher.update(data.subarray(BLOCK)), decipher.final()]).toString()
        } catch {
          throw new Error('invalid padding on input')
        }
      },
    }
  })

const BOX_NONCE = 24

/** XSalsa20 and Poly1305 as NaCl puts them together. */
export const secretbox = (keys: readonly NamedKey[]): Transformer =>
  keyed(
    'secretbox',
    keys,
    (key) => ({
      seal: (text) => {
        const nonce = randomBytes(BOX_NONCE)
        const sealed = xsalsa20poly1305(key, nonce).encrypt(Buffer.from(text))
        return Buffer.concat([nonce, sealed])
      },
      open: (data) => {
        if (data.length < BOX_NONCE + TAG) throw new Error(TOO_SHORT)
        try {
          const box = xsalsa20poly1305(key, data.subarray(0, BOX_NONCE))
          return Buffer.from(box.decrypt(data.subarray(BOX_NONCE))).toString()
        } catch {
          throw new Error('output array was not large enough for encryption')
        }
      },
    }),
    'Secretbox',
  )

/** Leaves values as they are; what is encrypted it does not take. */
export const identity: Transformer = {
  prefix: '',
  encrypt: (text) => text,
  decrypt: (data) => {
    if (data.startsWith(MARK)) throw new Error('identity transformer tried to read encrypted data')
    return data
  },
}
