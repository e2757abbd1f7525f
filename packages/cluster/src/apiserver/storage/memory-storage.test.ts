import { memoryStorage } from './memory-storage.ts'
import { storageSuite } from './storage.suite.ts'

storageSuite('memory storage', (window, from) =>
  memoryStorage({ window, freeze: true, ...(from && { from }) }),
)
