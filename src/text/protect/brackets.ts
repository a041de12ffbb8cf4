/** The brackets of tokens (see `protect`). */
export const TOKEN_OPEN = '⟦';
export const TOKEN_CLOSE = '⟧';
