import type { SlackOptions } from '../adapter.ts';
import { finding, optional, ownAddress, type Findings } from './findings.ts';
import type { Answerer } from './probe.ts';

interface Way {
  readonly path: string;
  /** Finds what is behind an address. */
  readonly look: (address: string) => Promise<Answerer>;
  /** The use of a public address that answers. */
  readonly ours: string;
}

/** Checks the ways to this program at a path: on this computer, and from the public address. */
export const checkWays = async function* (
  options: SlackOptions,
  publicUrl: string | undefined,
  { path, look, ours }: Way,
): Findings {
  const own = `${ownAddress(options)}${path}`;
  const here = await look(own);
  if (here === 'ours') yield finding('port', true, `${own} answers`);
  else if (here === 'nothing')
    yield optional('port', `${own} doesn't answer: run the doctor again while Dragoman runs`);
  else if (here === 'refuses')
    yield finding('port', false, `${own} refuses SLACK_SIGNING_SECRET: start Dragoman again`);
  else yield finding('port', false, `${own} is another program: set another SLACK_PORT`);
  if (publicUrl === undefined) {
    yield optional(
      'address',
      `let a public https address lead to ${own}, and set it as SLACK_PUBLIC_URL to have it checked`,
    );
    return;
  }
  const address = new URL(path, publicUrl).href;
  const there = await look(address);
  const details = {
    ours: `${address} answers: ${ours}`,
    refuses: `${address} refuses SLACK_SIGNING_SECRET: it leads to another program`,
    other: `${address} leads to another program: let your proxy pass it on to ${own}`,
    nothing: `${address} can't be reached from here: check its name, certificate and proxy`,
  };
  if (there === 'ours' || here === 'ours')
    yield finding('address', there === 'ours', details[there]);
  else yield optional('address', details[there]);
};
