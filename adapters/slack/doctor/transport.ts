import { createHmac, randomUUID } from 'node:crypto';
import { request } from 'undici';
import type { SlackOptions } from '../adapter.ts';
import { createFindings } from '../../../src/app/findings.ts';
import type { Finding } from '../../../src/model/service.ts';
import { INSTALL_PATH, EVENTS_PATH, pageOf } from '../manifest.ts';
import { WebClient } from '@slack/web-api';
import { clientOptions } from '../api.ts';
import { fromSlack, isRefusal } from '../errors.ts';
import { appOf, socketRefusal } from '../inbound/socket.ts';
import { toAppError } from '../../../src/errors.ts';

export type Findings = AsyncGenerator<Finding, void, void>;

const { finding, optional } = createFindings('Slack');

/** The address at which this program answers on this computer. */
const ownAddress = ({ host, port }: Pick<SlackOptions, 'host' | 'port'>): string => {
  const loopback = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? host;
  return `http://${loopback}:${port}`;
};

const PROBE_MS = 10_000;

/**
 * Program behind an address for Slack's requests: Dragoman with this secret, one that refuses the
 * secret, another one, or none.
 */
export type Answerer = 'ours' | 'refuses' | 'other' | 'nothing';

/** Asks an address for the answer to a challenge, as Slack does when it is entered there. */
export const probe = async (
  address: string,
  signingSecret: string,
  nowMs: number,
): Promise<Answerer> => {
  const challenge = randomUUID();
  const body = JSON.stringify({ type: 'url_verification', challenge });
  const timestamp = String(Math.floor(nowMs / 1_000));
  const hash = createHmac('sha256', signingSecret).update(`v0:${timestamp}:${body}`);
  try {
    const answer = await request(address, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-slack-request-timestamp': timestamp,
        'x-slack-signature': `v0=${hash.digest('hex')}`,
      },
      body,
      signal: AbortSignal.timeout(PROBE_MS),
    });
    const text = await answer.body.text();
    if (answer.statusCode === 401) return 'refuses';
    return answer.statusCode === 200 && text.includes(challenge) ? 'ours' : 'other';
  } catch {
    return 'nothing';
  }
};

interface Way {
  readonly path: string;
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

const PAGE_MS = 10_000;
/** Stands on the page that leads to Slack's own. */
const LINK = '/oauth/v2/authorize';

/** Finds what is behind an address for installations: our page, another one, or nothing. */
const look = async (address: string): Promise<Answerer> => {
  try {
    const answer = await request(address, { signal: AbortSignal.timeout(PAGE_MS) });
    await answer.body.dump();
    const { location } = answer.headers;
    const isOurs = answer.statusCode === 302 && String(location).includes(LINK);
    return isOurs ? 'ours' : 'other';
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

/** Asks with a code that nobody gave: Slack looks at the client's id and secret first. */
export const checkClient = async (
  { url, client = { id: '', secret: '' } }: SlackOptions,
  appId: string | undefined,
): Promise<Finding> => {
  const asked = { client_id: client.id, client_secret: client.secret, code: 'doctor' };
  const slack = new WebClient(undefined, clientOptions(url));
  const fault: unknown = await slack.oauth.v2.access(asked).then(
    () => undefined,
    (thrown: unknown) => fromSlack(thrown, 'oauth.v2.access'),
  );
  const where = `copy it from ${pageOf('general', appId)}, "App Credentials"`;
  if (isRefusal(fault, 'invalid_client_id'))
    return finding('client', false, `Slack doesn't know SLACK_CLIENT_ID: ${where}`);
  if (isRefusal(fault, 'bad_client_secret'))
    return finding('client', false, `Slack refuses SLACK_CLIENT_SECRET: ${where}`);
  return isRefusal(fault, 'invalid_code')
    ? finding('client', true, 'id and secret belong together')
    : finding('client', false, toAppError(fault).message);
};

export const checkSocket = async (
  { url, appToken = '' }: SlackOptions,
  appId: string | undefined,
): Promise<Finding> => {
  const app = appOf(appToken);
  if (app !== undefined && appId !== undefined && app !== appId)
    return finding(
      'Socket Mode',
      false,
      `SLACK_APP_TOKEN is of the app ${app}, SLACK_BOT_TOKEN of ${appId}: take both from one app`,
    );
  try {
    await new WebClient(appToken, clientOptions(url)).apps.connections.open();
    return finding('Socket Mode', true, 'can be connected');
  } catch (thrown) {
    const fault = fromSlack(thrown, 'apps.connections.open');
    return finding('Socket Mode', false, socketRefusal(fault, app ?? appId) ?? fault.message);
  }
};

const SECRET = /^[0-9a-f]{32}$/;

export const checkSecret = (
  { signingSecret = '', client }: SlackOptions,
  appId: string | undefined,
) => {
  const where = `copy "Signing Secret" from ${pageOf('general', appId)}, "App Credentials"`;
  if (signingSecret === client?.secret)
    return finding('signing secret', false, `is the client secret: ${where}`);
  return SECRET.test(signingSecret)
    ? finding('signing secret', true, 'is well-formed; if it is wrong, the log says so')
    : finding('signing secret', false, `has another form than Slack's: ${where}`);
};

/** Checks the ways to this program by which Slack's requests come. */
export const checkAddresses = (options: SlackOptions, publicUrl: string | undefined): Findings =>
  checkWays(options, publicUrl, {
    path: EVENTS_PATH,
    look: async (address) => probe(address, options.signingSecret ?? '', Date.now()),
    ours: 'enter it on the pages "Event Subscriptions", "Interactivity & Shortcuts" and "Slash Commands", or create the app with the link below',
  });
