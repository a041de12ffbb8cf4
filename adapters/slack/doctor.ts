import type { SlackOptions } from './adapter.ts';
import { creationLink, manifestFor, APPS } from './manifest.ts';
import {
  checkPages,
  checkAddresses,
  checkClient,
  checkSecret,
  checkSocket,
  type Findings,
} from './doctor/transport.ts';
import type { ScopeChoice } from './scopes.ts';
import { checkWorkspaces } from './doctor/workspaces.ts';
import { createFindings } from '../../src/app/findings.ts';
import { MINUTE_MS } from '../../src/async/clock.ts';
import type { Core } from '../../src/adapter.ts';
import type { Finding } from '../../src/model/service.ts';

const SLACK_API = 'https://slack.com/api/';
/** Largest tolerated clock skew; Slack's signatures are refused from 300 s. */
const SKEW_MS = MINUTE_MS;
const { finding, runCheck, checkClock } = createFindings('Slack');

/** Variables of Slack that are set; together they may not suffice. */
export interface Given {
  readonly hasToken: boolean;
  readonly hasTransport: boolean;
  readonly publicUrl: string | undefined;
  readonly choice: ScopeChoice;
  /** True for who wants the link that creates the app: it has some 4,000 characters. */
  readonly isAsked: boolean;
}

const APP_PAGES = `${APPS} (your app)`;

/** The command that prints the link. */
const LINK_COMMAND = 'npm run doctor -- slack';

const whyOff = ({ hasToken, hasTransport, publicUrl, choice, isAsked }: Given): Finding => {
  if (!hasToken && !hasTransport)
    return {
      check: 'Slack',
      ok: false,
      isOptional: true,
      detail: isAsked
        ? `off: set SLACK_BOT_TOKEN and SLACK_APP_TOKEN. This link creates the app: ${creationLink(manifestFor(publicUrl, undefined, choice))}`
        : `off: set SLACK_BOT_TOKEN and SLACK_APP_TOKEN (README, "Connect Slack"); "${LINK_COMMAND}" prints a link that creates the app`,
    };
  const detail = hasToken
    ? `off: events can't arrive. Set SLACK_APP_TOKEN for Socket Mode, or SLACK_SIGNING_SECRET for HTTP: ${APP_PAGES}, "Basic Information"`
    : `off: SLACK_BOT_TOKEN is missing: ${APP_PAGES}, "OAuth & Permissions", "Bot User OAuth Token"`;
  return { check: 'Slack', ok: false, detail };
};

/**
 * Checks the setup on Slack's side and says how to fix it. Connects to the Web API and to this
 * program's own addresses; changes nothing.
 *
 * @param options undefined where Slack is off
 */
export const diagnose = async function* (
  options: SlackOptions | undefined,
  given: Given,
  core: Core,
): Findings {
  if (!options) {
    yield whyOff(given);
    return;
  }
  const { publicUrl, choice, isAsked } = given;
  const clockUrl = (options.url ?? SLACK_API).replace(/\/+$/, '');
  const appId = yield* checkWorkspaces(options, publicUrl, core);
  const isSocket = options.appToken !== undefined;
  if (isSocket) yield await runCheck('Socket Mode', async () => checkSocket(options, appId));
  else {
    yield checkSecret(options, appId);
    yield* checkAddresses(options, publicUrl);
  }
  if (isSocket && options.botToken === undefined) yield* checkPages(options, publicUrl);
  if (options.botToken === undefined)
    yield await runCheck('client', async () => checkClient(options, appId));
  yield await runCheck('clock', async () =>
    checkClock({ url: `${clockUrl}/api.test`, method: 'POST', mostMs: SKEW_MS }),
  );
  const hasAddress = !isSocket || options.botToken === undefined;
  if (hasAddress && publicUrl !== undefined) {
    const detail = isAsked
      ? creationLink(manifestFor(publicUrl, isSocket, choice))
      : `"${LINK_COMMAND}" prints a link`;
    yield finding('create the app', true, detail);
  }
};
