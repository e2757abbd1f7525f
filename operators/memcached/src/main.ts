import { manager } from 'kubewright'
import { memcached } from './app.ts'

await manager({ name: 'memcached' }).add(memcached).run()
