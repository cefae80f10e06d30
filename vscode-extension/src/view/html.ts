/** The page that holds the view: nothing but the script's and the style's places. Pure. */

/** Where the page's parts are, as a webview may load them. */
export interface PageParts {
  readonly cspSource: string;
  readonly script: string;
  readonly style: string;
  readonly nonce: string;
}

/** The page: only its own script runs, only its own style applies, and nothing is fetched. */
export function pageHtml(parts: PageParts): string {
  const policy = `default-src 'none'; style-src ${parts.cspSource}; script-src 'nonce-${parts.nonce}'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta name="viewport" content="width=device-width, initial-scale=1.0">
<meta http-equiv="Content-Security-Policy" content="${attribute(policy)}">
<title>Premises</title>
<link rel="stylesheet" href="${attribute(parts.style)}">
</head>
<body>
<script nonce="${attribute(parts.nonce)}" src="${attribute(parts.script)}"></script>
</body>
</html>
`;
}

function attribute(text: string): string {
  return text.replace(/&/gu, "&amp;").replace(/"/gu, "&quot;").replace(/</gu, "&lt;");
}
