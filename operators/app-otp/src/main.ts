import { manager } from 'kubewright'
import { appOtp } from './app.ts'

await manager({ name: 'app-otp' }).add(appOtp).run()
