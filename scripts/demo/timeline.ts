/** CSS animations of what changes in a picture that repeats. */

/** A value that holds from a moment on. */
export interface Step {
  readonly atMs: number;
  readonly value: string;
  /** What the change to it takes. */
  readonly changeMs?: number;
}

export interface Timeline {
  /**
   * Animates a property through its steps; without motion it has the value of the moment `stillMs`.
   * Resolves to the attributes of the element.
   *
   * @param changeMs what a change takes whose step says nothing else; 0: at once
   */
  animate(property: 'opacity' | 'transform', steps: readonly Step[], changeMs?: number): string;
  /** Shows an element from `fromMs`, at which it takes `appearMs` to appear, to `toMs`. */
  show(fromMs: number, toMs: number, appearMs?: number): string;
  /** Shows an element at `atMs`, fading out for `fadeMs`. */
  flash(atMs: number, fadeMs: number): string;
  /** The style sheet of all that was animated. */
  style(): string;
}

/**
 * @param lengthMs of one round
 * @param stillMs the moment that is shown to those who want no motion
 */
export const createTimeline = (lengthMs: number, stillMs: number): Timeline => {
  const names = new Map<string, string>();
  const percent = (atMs: number): string =>
    `${Number(((Math.min(lengthMs, Math.max(0, atMs)) / lengthMs) * 100).toFixed(3))}%`;

  const animate: Timeline['animate'] = (property, steps, changeMs = 0) => {
    const still = (steps.findLast(({ atMs }) => atMs <= stillMs) ?? steps[0]!).value;
    const frames = steps.flatMap(({ atMs, value, changeMs: takes = changeMs }, index) => {
      const before = steps[index - 1]?.value;
      const start = before === undefined ? [] : [`${percent(atMs)}{${property}:${before}}`];
      const reachedMs = before === undefined ? 0 : atMs + Math.max(takes, 1);
      return [...start, `${percent(reachedMs)}{${property}:${value}}`];
    });
    const last = `100%{${property}:${steps.at(-1)!.value}}`;
    const rules = [...frames, last].join('');
    const name = names.get(rules) ?? `k${names.size}`;
    names.set(rules, name);
    return steps.length === 1
      ? `style="${property}:${still}"`
      : `class="${name}" style="${property}:${still}"`;
  };

  return {
    animate,
    show: (fromMs, toMs, appearMs = 0) =>
      animate('opacity', [
        ...(fromMs > 0 ? [{ atMs: 0, value: '0' }] : []),
        { atMs: fromMs, value: '1', changeMs: appearMs },
        ...(toMs < lengthMs ? [{ atMs: toMs, value: '0' }] : []),
      ]),
    flash: (atMs, fadeMs) =>
      animate('opacity', [
        { atMs: 0, value: '0' },
        { atMs, value: '1' },
        { atMs: atMs + 2, value: '0', changeMs: fadeMs },
      ]),
    style: () =>
      [...names]
        .map(
          ([rules, name]) =>
            `@keyframes ${name}{${rules}}.${name}{animation:${name} ${lengthMs}ms infinite}`,
        )
        .join('') + '@media(prefers-reduced-motion:reduce){*{animation:none!important}}',
  };
};
