import { scenario } from './scenario.ts'

scenario('discovery')
