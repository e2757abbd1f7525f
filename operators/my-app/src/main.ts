import { manager } from 'kubewright'
import { myApp } from './app.ts'

await manager({ name: 'my-app' }).add(myApp).run()
