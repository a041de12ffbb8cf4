import type { CommandContext, Complete } from '../../src/command/command.ts';
import { quotedWords, smallModels, translationEngines } from '../../src/command/helpers.ts';
import type { Translation } from '../../src/command/services.ts';
import { lines } from '../../src/rich-text/compose.ts';
import type { RichText } from '../../src/rich-text/rich-text.ts';

const COMPLETING_MS = 2_500;

/** Completes an engine by its name. */
export const completeEngine: Complete = async (typed, ctx) => {
  const engines = await translationEngines(ctx, AbortSignal.timeout(COMPLETING_MS));
  return engines
    .filter((name) => name.startsWith(typed.trim().toLowerCase()))
    .map((name) => ({ value: name, label: name }));
};

/** The engine whose models have names of their own; those of others begin with the engine's. */
const SERVER = 'openai';

/** The engines of the service that have none of these models. */
const enginesBeside = async (
  models: readonly string[],
  { services, channel, signal }: CommandContext<unknown>,
): Promise<readonly string[]> => {
  const asked = models.flatMap((model) => model.split('+'));
  const engines = await translationEngines({ services, space: channel.space }, signal).catch(
    () => [],
  );
  const engineOf = (model: string): string =>
    engines.find((name) => model === name || model.startsWith(`${name}-`)) ?? SERVER;
  return engines.filter((name) => !asked.map(engineOf).includes(name));
};

/** The engine to ask for a message that a small one translated lately; undefined for the usual one. */
export const nextEngine = async (
  to: string,
  ctx: CommandContext<unknown>,
): Promise<string | undefined> => {
  const { on, services } = ctx;
  const asked = on ? services.engineTurns.lately(on.ref, to) : [];
  if (!on || asked.length === 0) return undefined;
  const [next] = await enginesBeside(asked, ctx);
  if (next === undefined) services.engineTurns.ended(on.ref, to);
  return next;
};

/**
 * Tells which small engine translated, and how others can be asked.
 *
 * @param engine the one that was asked, which may not be the one that answered
 */
export const engineNote = async (
  { model, from, to }: Translation,
  engine: string | undefined,
  ctx: CommandContext<unknown>,
): Promise<RichText | undefined> => {
  const { on, services, t } = ctx;
  const small = model === undefined ? [] : smallModels(model);
  if (model === undefined || small.length === 0) return undefined;
  // One that was asked and could not is not asked again either.
  if (on) services.engineTurns.translated(on.ref, to, engine ? `${model}+${engine}` : model);
  const besides = await enginesBeside(on ? services.engineTurns.lately(on.ref, to) : [model], ctx);
  const able = await services.translators(from, to);
  const others = besides.filter((name) => able.includes(name));
  const engines = others.join(', ');
  return lines(
    t('translate.small-engine', { engines: small.map((each) => quotedWords(each)).join(', ') }),
    others.length > 0 && t(on ? 'translate.again' : 'translate.other-engines', { engines }),
  );
};
