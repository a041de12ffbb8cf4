import type { CommandContext, Complete } from '../../src/command/command.ts';
import {
  smallModels,
  smallModelsNote,
  translationEngines,
  typedCode,
} from '../../src/command/helpers.ts';
import type { Translation } from '../../src/command/services.ts';
import { userError } from '../../src/errors.ts';
import { lines } from '../../src/rich-text/compose.ts';
import type { RichText } from '../../src/rich-text/rich-text.ts';

const COMPLETING_MS = 2_500;

const enginesHere = (
  { services, channel }: CommandContext<unknown>,
  signal: AbortSignal,
): Promise<readonly string[]> => translationEngines({ services, space: channel.space }, signal);

export const completeEngine: Complete = async (typed, ctx) => {
  const engines = await translationEngines(ctx, AbortSignal.timeout(COMPLETING_MS));
  return engines
    .filter((name) => name.startsWith(typed.trim().toLowerCase()))
    .map((name) => ({ value: name, label: name }));
};

/** The engine that a person typed. Any other name could be that of a model that costs the operator more. */
export const typedEngine = async (typed: string, ctx: CommandContext<unknown>): Promise<string> => {
  const engines = await enginesHere(ctx, ctx.signal);
  const engine = engines.find((name) => name === typed.trim().toLowerCase());
  if (engine === undefined)
    throw userError('bad-input', 'translate.unknown-engine', {
      engine: typedCode(typed),
      engines: { list: engines.length > 0 ? engines : ['–'] },
    });
  return engine;
};

/** The engine whose models have names of their own; those of others begin with the engine's. */
const SERVER = 'openai';

/** The engines of the service that have none of these models. */
const enginesBeside = async (
  models: readonly string[],
  ctx: CommandContext<unknown>,
): Promise<readonly string[]> => {
  const asked = models.flatMap((model) => model.split('+'));
  const engines = await enginesHere(ctx, ctx.signal).catch(() => []);
  const engineOf = (model: string): string =>
    engines.find((name) => model === name || model.startsWith(`${name}-`)) ?? SERVER;
  return engines.filter((name) => !asked.map(engineOf).includes(name));
};

/** The engine to ask for a message that a small one translated lately; undefined for the usual one. */
export const nextEngine = async (
  to: string,
  ctx: CommandContext<unknown>,
): Promise<string | undefined> => {
  const { on, member, services } = ctx;
  if (!on) return undefined;
  const turn = { person: member, ref: on.ref, to };
  const asked = services.engineTurns.lately(turn);
  if (asked.length === 0) return undefined;
  const [next] = await enginesBeside(asked, ctx);
  if (next === undefined) services.engineTurns.ended(turn);
  return next;
};

/**
 * Tells which small engines translated, now or before the message was posted as a translation, and how
 * others can be asked.
 *
 * @param engine the one that was asked, which may not be the one that answered
 */
export const engineNote = async (
  { model, from, to }: Translation,
  engine: string | undefined,
  ctx: CommandContext<unknown>,
): Promise<RichText | undefined> => {
  const { on, member, services, t } = ctx;
  const before = on?.author.kind === 'ourselves' ? await services.modelsOf(on.ref) : [];
  const now = model === undefined ? [] : [model];
  const note = smallModelsNote([...before, ...now], t);
  if (model === undefined || smallModels(now).length === 0) return note;
  const turn = on && { person: member, ref: on.ref, to };
  // One that was asked and could not is not asked again either.
  if (turn) services.engineTurns.translated(turn, engine ? `${model}+${engine}` : model);
  const besides = await enginesBeside(turn ? services.engineTurns.lately(turn) : now, ctx);
  const able = await services.translators(from, to);
  const others = besides.filter((name) => able.includes(name));
  return lines(
    note,
    others.length > 0 &&
      t(on ? 'translate.again' : 'translate.other-engines', { engines: { list: others } }),
  );
};
