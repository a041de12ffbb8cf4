import { z } from 'zod';
import { httpUrl, port } from '../../src/config.ts';
import { defineAdapter } from '../../src/adapter.ts';
import { readLink } from './ids.ts';
import type { SlackOptions } from './adapter.ts';
import { LEFT_OUT, SHOWN_NAMES } from './scopes.ts';

/** Kinds of Slack's tokens by how they begin ("Token types"). */
const KINDS = [
  [/^(?:xoxe\.)?xoxb-\S+$/, 'a bot token'],
  [/^(?:xoxe\.)?xoxp-\S+$/, 'a user token'],
  [/^xapp-\S+$/, 'an app-level token'],
  [/^xoxe-\S+$/, 'a refresh token'],
] as const;

type Kind = (typeof KINDS)[number][1];

const kindOf = (token: string): Kind | undefined =>
  KINDS.find(([pattern]) => pattern.test(token))?.[1];

const tokenOf = (expected: Kind, prefix: string) =>
  z.string().refine((token) => kindOf(token) === expected, {
    error: ({ input }) => {
      const kind = typeof input === 'string' ? kindOf(input) : undefined;
      const given = kind === undefined ? '' : `; it is ${kind}`;
      return `must be ${expected}, which begins with ${prefix}${given}`;
    },
  });

/** "Bot User OAuth Token", on the page "OAuth & Permissions" of the app. */
export const botToken = tokenOf('a bot token', 'xoxb-');
/** "App-Level Tokens", on the page "Basic Information" of the app. */
export const appToken = tokenOf('an app-level token', 'xapp-');

const config = z
  .object({
    SLACK_BOT_TOKEN: botToken.optional().describe('Bot token of the Slack app, for one workspace.'),
    SLACK_APP_TOKEN: appToken
      .optional()
      .describe('App-level token of the Slack app: events arrive by Socket Mode.'),
    SLACK_SIGNING_SECRET: z
      .string()
      .regex(/^\S+$/, 'must be the signing secret of the app')
      .optional()
      .describe('Signing secret of the Slack app: events arrive by HTTP.'),
    SLACK_CLIENT_ID: z
      .string()
      .regex(/^\S+$/, 'must be the client ID of the app')
      .optional()
      .describe('Client ID of the Slack app, for many workspaces. Needs ENCRYPTION_KEY.'),
    SLACK_CLIENT_SECRET: z
      .string()
      .optional()
      .describe('Client secret of the Slack app, for many workspaces.'),
    SLACK_HOST: z
      .string()
      .default('127.0.0.1')
      .describe('Address to listen on for Slack’s requests.'),
    SLACK_PORT: port.default(3_000).describe('Port to listen on for Slack’s requests.'),
    SLACK_PUBLIC_URL: httpUrl
      .optional()
      .describe(
        'Address at which Slack reaches SLACK_PORT, such as https://dragoman.example.org. For the doctor.',
      ),
    SLACK_WITHOUT: z
      .string()
      .transform((typed) => typed.split(',').map((name) => name.trim()))
      .pipe(z.array(z.enum(LEFT_OUT)))
      .optional()
      .describe(
        `Scopes that the app does without, separated by commas: ${LEFT_OUT.join(', ')}. Default: none.`,
      ),
    SLACK_NAMES: z
      .enum(SHOWN_NAMES)
      .default('author')
      .describe(
        'Name above copies: author, via (“Ann (via Dragoman)”), or app, which needs no chat:write.customize.',
      ),
    SLACK_API_URL: httpUrl.optional().describe('URL of the Slack API. Default: Slack’s own.'),
  })
  .refine(({ SLACK_CLIENT_ID, SLACK_CLIENT_SECRET }) => !SLACK_CLIENT_ID === !SLACK_CLIENT_SECRET, {
    path: ['SLACK_CLIENT_SECRET'],
    error: 'must be set together with SLACK_CLIENT_ID',
    when: () => true,
  });

const optionsOf = (values: z.infer<typeof config>): SlackOptions | undefined => {
  const { SLACK_APP_TOKEN: socketToken, SLACK_SIGNING_SECRET: signingSecret } = values;
  const { SLACK_CLIENT_ID: id, SLACK_CLIENT_SECRET: secret } = values;
  const client = id !== undefined && secret !== undefined ? { id, secret } : undefined;
  if (socketToken === undefined && signingSecret === undefined) return undefined;
  if (values.SLACK_BOT_TOKEN === undefined && !client) return undefined;
  return {
    url: values.SLACK_API_URL,
    botToken: values.SLACK_BOT_TOKEN,
    appToken: socketToken,
    signingSecret,
    client,
    host: values.SLACK_HOST,
    port: values.SLACK_PORT,
    without: values.SLACK_WITHOUT,
    names: values.SLACK_NAMES,
  };
};

export default defineAdapter({
  name: 'slack',
  config,
  readLink,
  create: async (values, core) => {
    const options = optionsOf(values);
    if (!options) return undefined;
    const { createSlackAdapter } = await import('./adapter.ts');
    return createSlackAdapter(options, core);
  },
  diagnose: async function* diagnoseSlack(values, core, isAsked) {
    const { SLACK_BOT_TOKEN, SLACK_CLIENT_ID, SLACK_APP_TOKEN, SLACK_SIGNING_SECRET } = values;
    const given = {
      hasToken: (SLACK_BOT_TOKEN ?? SLACK_CLIENT_ID) !== undefined,
      hasTransport: (SLACK_APP_TOKEN ?? SLACK_SIGNING_SECRET) !== undefined,
      publicUrl: values.SLACK_PUBLIC_URL,
      choice: { without: values.SLACK_WITHOUT, names: values.SLACK_NAMES },
    };
    const { diagnose } = await import('./doctor.ts');
    yield* diagnose(optionsOf(values), { ...given, isAsked }, core);
  },
});
