import { scenario } from './scenario.ts'

scenario('custom')
