import { condition, kind, manager, s, type Manager } from 'kubewright'
import { ConfigMap } from 'kubewright/kinds/core/v1'

const Greeting = kind('example.com/v1', 'Greeting', {
  spec: { name: s.string({ minLength: 1 }) },
  status: { text: s.string(), conditions: s.conditions() },
})

export const app: Manager = manager({ name: 'greeter' })

app
  .controller(Greeting)
  .owns(ConfigMap)
  .reconcile(async (greeting, { apply, status, event }) => {
    const text = `Hello, ${greeting.spec.name}!`
    const name = greeting.metadata.name
    await apply(ConfigMap, { metadata: { name }, data: { text } })
    event('Normal', 'Greeted', text)
    await status({ text, conditions: [condition('Ready', true, 'Greeted')] })
  })

// The process's own file says: await app.run()
