import type { Container } from 'kubewright/kinds/core/v1'
import type { ImageProgram } from '../image/image-map.ts'
import { ContainerConfigError } from './environment.ts'
import { expand } from './expand.ts'

/**
 * What a container runs: its command and args over those of its image, with `$(NAME)` expanded. A program that the image has elsewhere
 * than this machine is named where this machine has it. The image's
 * arguments may name what `place` has too: `$(POD_IP)`. Throws a {@link ContainerConfigError} where nobody says what to run.
 */
export function commandLine(
  { command = [], args = [] }: Container,
  image: ImageProgram,
  variables: ReadonlyMap<string, string>,
  place: ReadonlyMap<string, string> = new Map(),
): readonly [program: string, ...args: string[]] {
  const known = (name: string): string | undefined => variables.get(name)
  const ownArgs = args.map((it) => expand(it, known))
  const imageArgs = (image.args ?? []).map((it) =>
    expand(it, (name) => known(name) ?? place.get(name)),
  )
  const entry = (command.length > 0 ? command : (image.command ?? [])).map((it) =>
    expand(it, known),
  )
  const rest = args.length > 0 || command.length > 0 ? ownArgs : imageArgs
  const [program, ...more] = [...entry, ...rest]
  if (program === undefined)
    throw new ContainerConfigError(
      'no command specified: neither the container nor its entry in the image map names a program',
    )
  return [image.programs?.[program] ?? program, ...more]
}
