import { z } from 'zod';

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
