import { WebClient } from '@slack/web-api';
import type { SlackOptions } from '../adapter.ts';
import { clientOptions } from '../api.ts';
import { fromSlack, isRefusal } from '../errors.ts';
import { appOf, socketRefusal } from '../inbound/socket-fault.ts';
import { EVENTS_PATH } from '../manifest.ts';
import { pageOf } from '../app-pages.ts';
import { finding, type Findings } from './findings.ts';
import { probe } from './probe.ts';
import { checkWays } from './ways.ts';
import { toAppError } from '../../../src/errors.ts';
import type { Finding } from '../../../src/model/service-status.ts';

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
