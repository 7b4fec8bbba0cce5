export function findReasonToRefuse(
  root: string,
  environment: Record<string, string | undefined>,
): string | undefined;
