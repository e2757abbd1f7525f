/** A boolean of a query as conversion reads it: there, and neither `false` nor `0`. */
export const flag = (query: URLSearchParams, name: string): boolean => {
  const value = query.get(name)
  return value !== null && value !== '0' && value.toLowerCase() !== 'false'
}
