import { parseArgs } from 'node:util'
import { runDemo, type DemoOptions } from './demo.ts'

const HELP = `npm start -- [options]

Starts a control plane and the AppOTP operator in this process, creates the sample, and shows the control loop at work.

  --once             create, upgrade, scale, repair, delete, then exit: 0 when all of it happened
  --port PORT        where the API server listens on 127.0.0.1 (default: any free port)
  --data-dir FOLDER  keep the cluster's objects in this folder, over restarts (default: in memory)
  --help             this text
`

/** Runs the demonstration; resolves to the exit code: 0 done, 1 something did not happen, 2 the command line was not understood. */
export async function main(argv: readonly string[]): Promise<number> {
  const options = readOptions(argv)
  if ('help' in options) {
    console.log(HELP)
    return 0
  }
  if ('problem' in options) {
    console.error(`${options.problem}\n\n${HELP}`)
    return 2
  }
  // A reader that went away (npm start | head) ends the demonstration, and is no fault of it.
  process.stdout.on('error', () => process.exit(0))
  try {
    await runDemo(options)
    return 0
  } catch (error) {
    console.error(`\nerror: ${(error as Error).message}`)
    return 1
  }
}

function readOptions(
  argv: readonly string[],
): DemoOptions | { readonly help: true } | { readonly problem: string } {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        once: { type: 'boolean', default: false },
        port: { type: 'string', default: '0' },
        'data-dir': { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    if (values.help) return { help: true }
    if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65535)
      return {
        problem: `--port ${values.port} is no port: expected a whole number from 0 (any free port) to 65535`,
      }
    const dataDir = values['data-dir']
    if (dataDir === '') return { problem: '--data-dir is empty: expected the path of a folder' }
    return {
      once: values.once,
      port: Number(values.port),
      ...(dataDir === undefined ? {} : { dataDir }),
    }
  } catch (error) {
    // What follows the first sentence is advice for programs that take arguments.
    return {
      problem: `${(error as Error).message.split('. ', 1)[0]}: this is what npm start takes`,
    }
  }
}
