import { scenario } from './scenario.ts'

scenario('objects')
