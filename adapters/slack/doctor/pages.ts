import { request } from 'undici';
import type { SlackOptions } from '../adapter.ts';
import { INSTALL_PATH } from '../manifest.ts';
import { finding, optional, ownAddress, type Findings } from './findings.ts';

const PAGE_MS = 10_000;
/** Stands on the page that leads to Slack's own. */
const LINK = '/oauth/v2/authorize';

/** Finds what is behind an address for installations: our page, another one, or nothing. */
const look = async (address: string): Promise<'ours' | 'other' | 'nothing'> => {
  try {
    const { statusCode, body } = await request(address, { signal: AbortSignal.timeout(PAGE_MS) });
    const text = await body.text();
    return statusCode === 200 && text.includes(LINK) ? 'ours' : 'other';
  } catch {
    return 'nothing';
  }
};

/** Checks the ways to the page on which a workspace installs the app. */
export const checkPages = async function* (
  options: SlackOptions,
  publicUrl: string | undefined,
): Findings {
  const own = `${ownAddress(options)}${INSTALL_PATH}`;
  const here = await look(own);
  if (here === 'ours') yield finding('port', true, `${own} answers`);
  else if (here === 'nothing')
    yield optional('port', `${own} doesn't answer: run the doctor again while Dragoman runs`);
  else yield finding('port', false, `${own} is another program: set another SLACK_PORT`);
  if (publicUrl === undefined) {
    yield optional(
      'address',
      `let a public https address lead to ${own}, and set it as SLACK_PUBLIC_URL to have it checked`,
    );
    return;
  }
  const address = new URL(INSTALL_PATH, publicUrl).href;
  const there = await look(address);
  const details = {
    ours: `${address} answers: workspaces install the app there`,
    other: `${address} leads to another program: let your proxy pass it on to ${own}`,
    nothing: `${address} can't be reached from here: check its name, certificate and proxy`,
  };
  if (there === 'ours' || here === 'ours')
    yield finding('address', there === 'ours', details[there]);
  else yield optional('address', details[there]);
};
