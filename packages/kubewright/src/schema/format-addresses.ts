/** Four decimal octets; leading zeros are taken, as in Kubernetes' older addresses (k8s.io/utils/net ParseIPSloppy). */
function isDotted(text: string): boolean {
  const octets = text.split('.')
  return octets.length === 4 && octets.every((it) => /^\d+$/.test(it) && Number(it) <= 255)
}

/** Whether a string is an address with colons, perhaps with dotted octets at its end; zones are not taken (net.ParseIP). */
function isColoned(text: string): boolean {
  if (!text.includes(':')) return false
  const halves = text.split('::')
  if (halves.length > 2) return false
  const words = halves.map((half) => (half === '' ? [] : half.split(':')))
  const last = words.at(-1)?.at(-1) ?? ''
  const dotted = last.includes('.')
  if (dotted && !(isDotted(last) && !/(^|\.)0\d/.test(last))) return false
  const all = words.flat()
  const hex = dotted ? all.slice(0, -1) : all
  const count = hex.length + (dotted ? 2 : 0)
  return (
    hex.every((it) => /^[0-9a-fA-F]{1,4}$/.test(it)) &&
    (halves.length === 2 ? count < 8 : count === 8)
  )
}

/** An address of either family with a dot in it. */
export function isIpv4(text: string): boolean {
  return text.includes('.') && (isDotted(text) || isColoned(text))
}

/** An address with colons in it. */
export function isIpv6(text: string): boolean {
  return isColoned(text)
}

/** An address, a slash and a prefix length that the address has room for. */
export function isCidr(text: string): boolean {
  const [address = '', length = '', ...more] = text.split('/')
  if (more.length > 0 || !/^\d{1,3}$/.test(length)) return false
  if (isDotted(address)) return Number(length) <= 32
  return isColoned(address) && Number(length) <= 128
}

/** 6, 8 or 20 octets, parted by colons or dashes, or by dots in pairs (net.ParseMAC). */
export function isMac(text: string): boolean {
  const pairs = /^[0-9a-fA-F]{2}([:-])([0-9a-fA-F]{2}\1)*[0-9a-fA-F]{2}$/.test(text)
  if (pairs) return [17, 23, 59].includes(text.length)
  const fours = /^[0-9a-fA-F]{4}(\.[0-9a-fA-F]{4})+$/.test(text)
  return fours && [14, 19, 49].includes(text.length)
}
