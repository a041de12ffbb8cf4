import type { Press, PressContext, PressForm } from '../../src/command/command.ts';
import { button, chosenOver, menu, MOST_LANGUAGES } from '../../src/command/helpers.ts';
import { chosenReading, readingControl } from '../../src/command/reading-choice.ts';
import { userError } from '../../src/errors.ts';
import type { Content, Control } from '../../src/model/message.ts';
import { FORMALITIES, MESSAGE_TYPES, type Ruled, type WatchRules } from '../../src/model/rules.ts';
import { sections } from '../../src/rich-text/compose.ts';
import { channelNamed, chosenLanguages, languageControl, watchOf } from './panel-controls.ts';
import { back } from './panel-pages.ts';
import { choosePeople, peoplePage, personPresses } from './people.ts';
import { boundedValues, changeRules, shownRules, valuesIn } from './rules.ts';

/** The value of the choice that no form of address is asked for. */
const USUAL = 'usual';
/** Shortest texts that are offered, in code points; 0 is any length. */
const SHORTEST = [0, 2, 3, 5, 10, 20, 50];

/** The page of the rules of one channel. Rejects with `forbidden` where the person may not see it. */
export const rulesPage = async (ctx: PressContext): Promise<Content> => {
  const { access, arg: id, label, services, t } = ctx;
  const channel = channelNamed(ctx, id);
  await access.demand([channel], 'see');
  const undos = await services.endedWatches.list(channel.space);
  const undo = undos.find(
    ({ isOfRules, watches }) => isOfRules && watches.some((each) => each.channel.id === id),
  );
  const rules = watchOf(ctx, channel)?.choices?.rules ?? {};
  const { shortest = 0 } = rules;
  const formality = rules.formality || USUAL;
  /** Controls that leave out more; where all others are left out, only the command changes that. */
  const leavingOut = (ruled: Ruled, ...controls: readonly Control[]): readonly Control[] =>
    rules[ruled]?.only ? [] : controls;
  const controls: readonly Control[] = [
    ...leavingOut(
      'types',
      menu(`autotranslate ruletypes:${id}`, label('rules.panel-types'), {
        values: MESSAGE_TYPES,
        labelOf: (type) => label(`rules.type.${type}`),
        chosen: rules.types?.of ?? [],
        most: MESSAGE_TYPES.length,
      }),
    ),
    menu(`autotranslate ruleshortest:${id}`, label('rules.panel-shortest'), {
      values: SHORTEST.includes(shortest) ? SHORTEST : [...SHORTEST, shortest],
      labelOf: (count) =>
        count === 0 ? label('rules.panel-any') : label('rules.panel-chars', { count }),
      chosen: [shortest],
    }),
    menu(`autotranslate ruleformality:${id}`, label('rules.panel-formality'), {
      values: [USUAL, ...FORMALITIES],
      labelOf: (value) => label(value === USUAL ? 'rules.panel-usual' : `rules.formality.${value}`),
      chosen: [formality],
    }),
    button(ctx, `autotranslate rulespoken:${id}`, 'rules.panel-languages'),
    ...leavingOut('words', button(ctx, `autotranslate rulewords:${id}`, 'rules.panel-words')),
    ...leavingOut(
      'beginnings',
      button(ctx, `autotranslate rulebeginnings:${id}`, 'rules.panel-beginnings'),
    ),
    button(ctx, `autotranslate stoppeople:${id}`, 'rules.panel-people'),
    button(ctx, `autotranslate rulereading:${id}`, 'rules.panel-reading'),
    ...(Object.keys(rules).length > 0
      ? [button(ctx, `autotranslate ruleend:${id}`, 'rules.panel-end', 'danger')]
      : []),
    ...(undo
      ? [button(ctx, `autotranslate restore:${undo.id}/rules`, 'autotranslate.wizard-undo')]
      : []),
    back(ctx, `autotranslate page:${id}`),
  ];
  return { text: sections(await shownRules(channel, ctx), t('rules.panel-more')), controls };
};

/**
 * The page of the languages that are not translated in one channel. Rejects as `rulesPage` does.
 *
 * @param found languages that were searched for
 */
const languagesPage = async (ctx: PressContext, found?: readonly string[]): Promise<Content> => {
  const { access, arg: id } = ctx;
  const channel = channelNamed(ctx, id);
  await access.demand([channel], 'see');
  const { languages = [] } = watchOf(ctx, channel)?.choices?.rules ?? {};
  return {
    text: await shownRules(channel, ctx),
    controls: [
      languageControl(
        {
          press: `autotranslate rulelanguages:${id}`,
          chosen: languages,
          most: MOST_LANGUAGES,
          label: 'rules.panel-languages',
          ...(found ? { found } : {}),
        },
        ctx,
      ),
      button(ctx, `autotranslate findspoken:${id}`, 'autotranslate.panel-find'),
      back(ctx, `autotranslate rules:${id}`),
    ],
  };
};

/** The page of the language of one channel's readers. Rejects as `rulesPage` does. */
const readingPage = async (ctx: PressContext, found?: readonly string[]): Promise<Content> => {
  const { access, arg: id, services, t } = ctx;
  const channel = channelNamed(ctx, id);
  await access.demand([channel], 'see');
  const { rules } = await services.spaces.of(channel.space);
  const { reading = '' } = { ...rules, ...watchOf(ctx, channel)?.choices?.rules };
  return {
    text: sections(await shownRules(channel, ctx), t('rules.panel-reading-how')),
    controls: [
      readingControl(`autotranslate rulereads:${id}`, reading, ctx, found),
      button(ctx, `autotranslate findreading:${id}`, 'autotranslate.panel-find'),
      back(ctx, `autotranslate rules:${id}`),
    ],
  };
};

/** Changes the rules of the channel that a control is about. */
const setRules = async (ctx: PressContext, how: (now: WatchRules) => WatchRules): Promise<void> => {
  await changeRules(channelNamed(ctx, ctx.arg), (now) => ({ ...now, ...how(now) }), ctx);
};

/** Reads what a rule leaves out. Throws where it leaves out all else. */
const leftOut = (rules: WatchRules, ruled: Ruled): readonly string[] => {
  const { only, of = [] } = rules[ruled] ?? {};
  if (only) throw userError('bad-input', 'rules.how');
  return of;
};

const setTypes = (ctx: PressContext): Promise<void> =>
  setRules(ctx, (now) => {
    const chosen = chosenOver(leftOut(now, 'types'), ctx);
    return { types: { of: MESSAGE_TYPES.filter((type) => chosen.includes(type)) } };
  });

const setShortest = async (ctx: PressContext): Promise<void> => {
  const shortest = Number(ctx.values[0]);
  const current = watchOf(ctx, channelNamed(ctx, ctx.arg))?.choices?.rules?.shortest;
  if (![...SHORTEST, current].includes(shortest)) throw userError('bad-input', 'rules.how');
  await setRules(ctx, () => ({ shortest }));
};

const setFormality = async (ctx: PressContext): Promise<void> => {
  const [value = ''] = ctx.values;
  const formality = FORMALITIES.find((one) => one === value);
  if (formality === undefined && value !== USUAL) throw userError('bad-input', 'rules.how');
  await setRules(ctx, () => ({ formality: formality ?? '' }));
};

const setLanguages = (ctx: PressContext): Promise<void> => {
  const values = ctx.values.length === 0 ? [] : chosenLanguages(ctx.values, MOST_LANGUAGES, ctx);
  return setRules(ctx, ({ languages = [] }) => ({
    languages: chosenOver(languages, { ...ctx, values }).slice(0, MOST_LANGUAGES),
  }));
};

const FORM = {
  label: 'rules.panel-values',
  hint: 'rules.panel-values-hint',
  maxChars: 1_000,
} as const satisfies Partial<PressForm>;

const leaveOut = (ctx: PressContext, ruled: 'words' | 'beginnings'): Promise<void> => {
  const added = boundedValues(valuesIn(ctx.values[0] ?? ''));
  return setRules(ctx, (now) => ({
    [ruled]: { of: boundedValues([...new Set([...leftOut(now, ruled), ...added])]) },
  }));
};

/** The work of the page’s controls, by the panel’s own way to show it again. */
export const rulePresses = (
  press: (
    page: (ctx: PressContext) => Promise<Content>,
    run?: (ctx: PressContext) => Promise<void>,
  ) => Press,
  finding: (page: typeof languagesPage) => Press,
): Readonly<Record<string, Press>> => ({
  rules: press(rulesPage),
  ...personPresses,
  stoppeople: press(peoplePage),
  rulepeople: press(peoplePage, choosePeople),
  ruletypes: press(rulesPage, setTypes),
  ruleshortest: press(rulesPage, setShortest),
  ruleformality: press(rulesPage, setFormality),
  rulespoken: press((ctx) => languagesPage(ctx)),
  findspoken: finding(languagesPage),
  rulelanguages: press((ctx) => languagesPage(ctx), setLanguages),
  rulewords: {
    ...press(rulesPage, (ctx) => leaveOut(ctx, 'words')),
    form: { ...FORM, title: 'rules.panel-words' },
  },
  rulebeginnings: {
    ...press(rulesPage, (ctx) => leaveOut(ctx, 'beginnings')),
    form: { ...FORM, title: 'rules.panel-beginnings' },
  },
  rulereading: press((ctx) => readingPage(ctx)),
  findreading: finding(readingPage),
  rulereads: press(
    (ctx) => readingPage(ctx),
    (ctx) => {
      const reading = chosenReading(ctx);
      return setRules(ctx, () => ({ reading }));
    },
  ),
  ruleend: press(rulesPage, async (ctx) => {
    await changeRules(channelNamed(ctx, ctx.arg), () => ({}), ctx);
  }),
});
