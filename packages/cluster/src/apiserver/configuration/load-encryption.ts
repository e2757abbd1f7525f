import { type EncryptionConfiguration, encryptionErrors } from '../encryption/configuration.ts'
import { type ExpectedConfig, parseConfig, refuseErrors } from './config-file.ts'
import type { ServerConfiguration } from './options.ts'
import { parsed } from './read-file.ts'

const KEYS = { keys: [{ name: true, secret: true }] } as const

const ENCRYPTION = {
  group: 'apiserver.config.k8s.io',
  versions: ['v1'],
  kind: 'EncryptionConfiguration',
  shape: {
    resources: [
      {
        resources: true,
        providers: [{ aescbc: KEYS, aesgcm: KEYS, secretbox: KEYS, identity: true, kms: true }],
      },
    ],
  },
} as const satisfies ExpectedConfig

/** The EncryptionConfiguration that a flag names; undefined where none does. Rejects with a `FlagError` for one that cannot be used. */
export async function loadEncryption({
  encryptionConfigFile: file,
}: Pick<ServerConfiguration, 'encryptionConfigFile'>): Promise<
  EncryptionConfiguration | undefined
> {
  if (file === undefined) return undefined
  const what = `error while parsing file: error decoding encryption provider configuration file ${JSON.stringify(file)}`
  const configuration = await parsed(
    file,
    (text) => parseConfig<EncryptionConfiguration>(text, ENCRYPTION),
    what,
  )
  refuseErrors(encryptionErrors(configuration), 'error while parsing file: ')
  return configuration
}
