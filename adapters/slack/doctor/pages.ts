import { request } from 'undici';
import type { SlackOptions } from '../adapter.ts';
import { INSTALL_PATH } from '../manifest.ts';
import type { Findings } from './findings.ts';
import type { Answerer } from './probe.ts';
import { checkWays } from './ways.ts';

const PAGE_MS = 10_000;
/** Stands on the page that leads to Slack's own. */
const LINK = '/oauth/v2/authorize';

/** Finds what is behind an address for installations: our page, another one, or nothing. */
const look = async (address: string): Promise<Answerer> => {
  try {
    const { statusCode, body } = await request(address, { signal: AbortSignal.timeout(PAGE_MS) });
    const text = await body.text();
    return statusCode === 200 && text.includes(LINK) ? 'ours' : 'other';
  } catch {
    return 'nothing';
  }
};

/** Checks the ways to the page on which a workspace installs the app. */
export const checkPages = (options: SlackOptions, publicUrl: string | undefined): Findings =>
  checkWays(options, publicUrl, {
    path: INSTALL_PATH,
    look,
    ours: 'workspaces install the app there',
  });
