import { fnv32a } from './fnv.ts'

/** An image by its full name: `nginx` is `docker.io/library/nginx:latest`. */
export function fullImageName(image: string): string {
  const slash = image.indexOf('/')
  const first = slash < 0 ? '' : image.slice(0, slash)
  const hasRegistry = first.includes('.') || first.includes(':') || first === 'localhost'
  const path = hasRegistry ? image : `docker.io/${slash < 0 ? 'library/' : ''}${image}`
  const name = path.slice(path.lastIndexOf('/'))
  return name.includes(':') || name.includes('@') ? path : `${path}:latest`
}

/** A digest that is always the same for the same image: `docker.io/library/nginx@sha256:…`. */
export function imageId(image: string): string {
  const full = fullImageName(image)
  if (full.includes('@')) return full
  const colon = full.lastIndexOf(':')
  return `${full.slice(0, colon)}@sha256:${digest(full)}`
}

/** 64 hexadecimal digits made of a text. */
export function digest(text: string): string {
  return Array.from({ length: 8 }, (_, index) =>
    fnv32a(`${index}:${text}`).toString(16).padStart(8, '0'),
  ).join('')
}

/** How many bytes a pull says that it has fetched. */
export function imageSize(image: string): number {
  return 1_000_000 + (fnv32a(fullImageName(image)) % 99_000_000)
}

/** Names and tags that say of themselves that nothing is there. */
const NOWHERE = /does-?not-?exist|non-?existent|no-?such-?image|invalid-?image|:404$/

/** Why an image cannot be pulled that says so by its name or tag (`:does-not-exist`), in containerd's words; undefined for others. */
export function pullError(image: string): string | undefined {
  if (!NOWHERE.test(image)) return undefined
  const full = fullImageName(image)
  return (
    `rpc error: code = NotFound desc = failed to pull and unpack image "${full}": ` +
    `failed to resolve reference "${full}": ${full}: not found`
  )
}

/** Whether an image is named in a way that no registry knows (distribution reference grammar). */
export function isImageName(image: string): boolean {
  return /^(?:[a-zA-Z0-9.-]+(?::[0-9]+)?\/)?[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*(?::[\w][\w.-]{0,127})?(?:@sha256:[a-f0-9]{64})?$/.test(
    image,
  )
}
