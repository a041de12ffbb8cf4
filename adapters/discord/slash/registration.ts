import { Routes } from 'discord.js';
import { faultFields, toAppError, type AppError } from '../../../src/errors.ts';
import type { Core } from '../../../src/adapter.ts';
import type { Api } from '../api.ts';
import { buildCommands, type CommandBody } from './commands.ts';
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

/**
 * Registers the commands; resolves with false where the same ones are registered already, which Discord
 * is asked.
 */
export const registerCommands = async (
  api: Api,
  applicationId: string,
  commands: readonly CommandBody[],
): Promise<boolean> => {
  const route = Routes.applicationCommands(applicationId);
  const registered = await api.send<CommandBody[]>('GET', route, {
    query: { with_localizations: 'true' },
  });
  if (digest(registered) === digest(commands)) return false;
  await api.send('PUT', route, { body: commands });
  return true;
};

/**
 * Registers the core's commands. What Discord does not take is logged; what it may take later is tried
 * again, and nobody waits for it. Rejects with `config` for a text that Discord would refuse.
 *
 * @param signal ends what is tried again
 */
export const createRegister = (api: Api, core: Core, signal: AbortSignal) => {
  const { log } = core;
  let isTriedAgain = false;

  const failed = (fault: AppError): void =>
    log.error(faultFields(fault), 'Discord: commands not registered');

  return async (applicationId: string): Promise<void> => {
    if (isTriedAgain) return;
    const commands = buildCommands(core);
    const register = async (): Promise<void> => {
      const changed = await registerCommands(api, applicationId, commands);
      log.info({ changed, count: commands.length }, 'Discord: commands registered');
    };
    try {
      await register();
    } catch (thrown) {
      const fault = toAppError(thrown);
      failed(fault);
      if (!fault.retryable) return;
      isTriedAgain = true;
      void retryUntilAborted(register, { signal, failed }).finally(() => {
        isTriedAgain = false;
      });
    }
  };
};
