import { z } from 'zod';
import { SlackFault } from '../errors.ts';
import { POSTS, SPECIAL, TIER, type Rate } from '../limits.ts';
import { installationOf } from '../render.ts';
import type { Json } from '../json.ts';
import type { Channel, Installation, World } from '../state.ts';

/** A call of the Web API by the app, past its token, scopes and limits. */
export interface Call<Args = Json> {
  readonly world: World;
  readonly args: Args;
  readonly installation: Installation;
}

export interface Method {
  readonly name: string;
  readonly rate: Rate;
  /** One of these scopes is needed; none for methods without. */
  readonly scopes: readonly string[];
  /** `bot`: a bot token; `app`: the app-level token; `none`: no token. */
  readonly token: 'bot' | 'app' | 'none';
  run(world: World, args: Json, installation: Installation | undefined): Json;
}

interface MethodOptions<Schema extends z.ZodType> {
  readonly rate?: Rate;
  readonly scopes?: readonly string[];
  readonly args: Schema;
}

/** Arguments come as a form: numbers, booleans and JSON as text. */
export const flag = z
  .union([z.boolean(), z.stringbool()])
  .optional()
  .transform((value) => value ?? false);
export const count = (standard: number, most: number) =>
  z.coerce.number().int().min(1).max(most).optional().default(standard);
export const json = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value, context) => {
    if (typeof value !== 'string') return value;
    try {
      return JSON.parse(value) as unknown;
    } catch {
      context.addIssue({ code: 'custom', message: 'invalid json' });
      return z.NEVER;
    }
  }, schema);

const parseArgs = <Schema extends z.ZodType>(schema: Schema, args: Json): z.output<Schema> => {
  const parsed = schema.safeParse(args);
  if (parsed.success) return parsed.data;
  const messages = parsed.error.issues.map(
    ({ message, path }) => `[ERROR] ${message} [json-pointer:/${path.join('/')}]`,
  );
  throw new SlackFault('invalid_arguments', { response_metadata: { messages } });
};

/** A method that takes a bot token. */
export const method = <Schema extends z.ZodType>(
  name: string,
  { rate = SPECIAL, scopes = [], args }: MethodOptions<Schema>,
  run: (call: Call<z.output<Schema>>) => Json,
): Method => ({
  name,
  rate,
  scopes,
  token: 'bot',
  run: (world, given, installation) => {
    if (!installation) throw new SlackFault('not_authed');
    return run({ world, args: parseArgs(args, given), installation });
  },
});

/** Finds the workspace of a token, or says why it may not be used. */
export const authorize = (world: World, token: string | undefined, args: Json): Installation => {
  if (!token) throw new SlackFault('not_authed');
  const installation = installationOf(world, token, args);
  if (!installation)
    throw new SlackFault(revoked.get(world)?.has(token) ? 'token_revoked' : 'invalid_auth');
  if (!installation.active) throw new SlackFault('account_inactive');
  if ((installation.expiresAt ?? Infinity) <= world.clock.now())
    throw new SlackFault('token_expired');
  return installation;
};

const revoked = new WeakMap<World, Set<string>>();

/** Methods that need `team_id` with the token of an organisation ("Organization-ready apps"). */
export const OF_WORKSPACE: ReadonlySet<string> = new Set([
  'bots.info',
  'conversations.list',
  'usergroups.list',
  'usergroups.users.list',
  'users.conversations',
  'users.list',
]);

/** Ends a token, so that later calls get `token_revoked`. */
export const revokeToken = (world: World, installation: Installation): void => {
  const tokens = revoked.get(world) ?? new Set();
  tokens.add(installation.token);
  revoked.set(world, tokens);
  installation.token = `revoked-${installation.token}`;
};

/** A channel as an app may know it: private ones and direct messages only as a member. */
export const channelFor = (
  { world, installation }: Pick<Call, 'world' | 'installation'>,
  id: string,
): Channel => {
  const channel = world.channels.get(id);
  const { workspace, botUser } = installation;
  const known =
    channel &&
    !channel.deleted &&
    channel.workspaces.includes(workspace) &&
    (channel.kind === 'public' || channel.members.has(botUser.id));
  if (!known) throw new SlackFault('channel_not_found');
  return channel;
};

export { POSTS, SPECIAL, TIER };
