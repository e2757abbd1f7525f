import { scenario } from './scenario.ts'

scenario('apply')
