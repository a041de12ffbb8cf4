/**
 * Maps the states of a generator; skips a state when `map` gives `undefined`. Returns the
 * generator's result, and closes the generator when the consumer stops early.
 */
export const mapStates = async function* <State, Shown, Result>(
  states: AsyncGenerator<State, Result, void>,
  map: (state: State) => Shown | undefined,
): AsyncGenerator<Shown, Result, void> {
  try {
    for (;;) {
      const { done, value } = await states.next();
      if (done) return value;
      const shown = map(value);
      if (shown !== undefined) yield shown;
    }
  } finally {
    await states.return(undefined as never);
  }
};

/**
 * Runs a generator of states to its end and resolves with its result.
 *
 * @param onState called with each state
 */
export const resultOf = async <State, Result>(
  states: AsyncGenerator<State, Result, void>,
  onState?: (state: State) => void,
): Promise<Result> => {
  for (;;) {
    const { done, value } = await states.next();
    if (done) return value;
    onState?.(value);
  }
};
