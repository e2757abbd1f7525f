import { scenario } from './scenario.ts'

scenario('mistakes')
