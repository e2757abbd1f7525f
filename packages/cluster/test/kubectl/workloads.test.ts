import { scenario } from './scenario.ts'

scenario('workloads')
