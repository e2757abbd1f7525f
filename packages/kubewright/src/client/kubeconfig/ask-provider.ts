import type { AskProvider } from './oidc.ts'

/** Asks an identity provider over sockets, whose certificate `ca` (PEM) signed unless it is one that everybody knows. */
export function askOver(ca: string | undefined): AskProvider {
  return async (url, form) => {
    const { Agent, fetch } = await import('undici')
    const agent = new Agent({ connect: ca ? { ca } : {} })
    try {
      const response = await fetch(url, {
        dispatcher: agent,
        ...(form
          ? {
              method: 'POST',
              body: form.toString(),
              headers: { 'content-type': 'application/x-www-form-urlencoded' },
            }
          : {}),
      })
      if (!response.ok)
        throw new Error(
          `${url} answered ${response.status}: ${(await response.text()).slice(0, 200)}`,
        )
      return await response.json()
    } finally {
      await agent.close()
    }
  }
}
