import { Routes } from 'discord.js';
import { AppError, faultFields, toAppError } from '../../../src/errors.ts';
import type { Core } from '../../../src/adapter.ts';
import type { Api } from '../api.ts';
import { PLATFORM } from '../ids.ts';
import { buildCommands, type CommandBody } from './commands.ts';
import type { CommandMentions, RegisteredCommand } from './mentions.ts';
import { retryUntilAborted } from '../../../src/app/retry-until-aborted.ts';

/** Fields that say the same when they are left out. */
const DEFAULTS: Readonly<Record<string, unknown>> = { required: false, autocomplete: false };
/** Fields that Discord adds to what it was given. */
const ADDED = new Set([
  'id',
  'application_id',
  'guild_id',
  'version',
  'dm_permission',
  'default_permission',
  'nsfw',
  'handler',
  'name_localized',
  'description_localized',
]);
/** Lists in which the order means nothing. */
const SETS = new Set(['integration_types', 'contexts', 'channel_types']);

const isNothing = (field: unknown): boolean =>
  field === undefined ||
  field === null ||
  field === '' ||
  (typeof field === 'object' && Object.keys(field).length === 0);

/** The same form for a command that is sent and for the one that Discord returns. */
const canonical = (value: unknown, key = ''): unknown => {
  if (Array.isArray(value)) {
    const items = value.map((item) => canonical(item));
    return SETS.has(key) ? items.toSorted((a, b) => Number(a) - Number(b)) : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value)
    .filter(([name]) => !ADDED.has(name))
    .map(([name, field]) => [name, canonical(field, name)] as const)
    .filter(([name, field]) => !isNothing(field) && field !== DEFAULTS[name])
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields);
};

const digest = (bodies: readonly CommandBody[]): string =>
  JSON.stringify(
    bodies
      .map((body) => canonical(body))
      .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
  );

const routeOf = (applicationId: string) => Routes.applicationCommands(applicationId);

/**
 * Registers the commands; resolves with false where the same ones are registered already, which Discord
 * is asked.
 *
 * @param learn takes what is registered, before and after
 */
export const registerCommands = async (
  api: Api,
  applicationId: string,
  commands: readonly CommandBody[],
  learn: (registered: readonly RegisteredCommand[]) => void = () => undefined,
): Promise<boolean> => {
  const route = routeOf(applicationId);
  const registered = await api.send<RegisteredCommand[]>('GET', route, {
    query: { with_localizations: 'true' },
  });
  learn(registered);
  if (digest(registered) === digest(commands)) return false;
  learn(await api.send<RegisteredCommand[]>('PUT', route, { body: commands }));
  return true;
};

/**
 * Registers the core's commands. What Discord does not take is logged; what it may take later is tried
 * again, and nobody waits for it. Rejects with `config` for a text that Discord would refuse.
 *
 * @param signal ends what is tried again
 */
export const createRegister = (
  api: Api,
  core: Core,
  mentions: Pick<CommandMentions, 'learn'>,
  signal: AbortSignal,
) => {
  const { log } = core;
  const learn = (registered: readonly RegisteredCommand[]): void =>
    mentions.learn(registered, core.commands('en', PLATFORM));
  let isTriedAgain = false;

  const notYet = (fault: AppError): void =>
    log.info(faultFields(fault), 'Discord: commands not looked up');
  const failed = (fault: AppError): void =>
    log.error(faultFields(fault), 'Discord: commands not registered');

  const register = async (applicationId: string): Promise<void> => {
    if (isTriedAgain) return;
    const commands = buildCommands(core);
    const attempt = async (): Promise<void> => {
      const changed = await registerCommands(api, applicationId, commands, learn);
      log.info({ changed, count: commands.length }, 'Discord: commands registered');
    };
    try {
      await attempt();
    } catch (thrown) {
      const fault = toAppError(thrown);
      failed(fault);
      if (!fault.retryable) return;
      isTriedAgain = true;
      void retryUntilAborted(attempt, { signal, failed }).finally(() => {
        isTriedAgain = false;
      });
    }
  };

  return {
    register,
    /** Learns which commands another process registers, perhaps only later; until then, they are shown as code. */
    look: async (applicationId: string): Promise<void> => {
      const attempt = async (): Promise<void> => {
        const registered = await api.send<RegisteredCommand[]>('GET', routeOf(applicationId));
        learn(registered);
        if (registered.length === 0)
          throw new AppError('unavailable', 'no command is registered yet', { retryable: true });
      };
      await attempt().catch(async (thrown: unknown) => {
        const fault = toAppError(thrown);
        notYet(fault);
        if (fault.retryable) await retryUntilAborted(attempt, { signal, failed: notYet });
      });
    },
  };
};
