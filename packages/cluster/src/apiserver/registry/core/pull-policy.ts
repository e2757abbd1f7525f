const REPOSITORY =
  /^(?:(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])(?:\.(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9]))*(?::[0-9]+)?\/)?[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*$/

/** `Always` for the tag latest, given or meant, else `IfNotPresent`. A name that cannot be read has no tag. */
export function defaultPullPolicy(image: string): 'Always' | 'IfNotPresent' {
  const at = image.indexOf('@')
  const named = at < 0 ? image : image.slice(0, at)
  const colon = named.indexOf(':', named.lastIndexOf('/') + 1)
  const tag = colon < 0 ? '' : named.slice(colon + 1)
  if (colon >= 0)
    return tag === 'latest' && isRepository(named.slice(0, colon)) ? 'Always' : 'IfNotPresent'
  return at < 0 && isRepository(named) ? 'Always' : 'IfNotPresent'
}

const isRepository = (name: string): boolean => name.length <= 255 && REPOSITORY.test(name)
