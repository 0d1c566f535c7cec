/* The script of the documentation: the search, and buttons that copy code. Pages work without it. */
(() => {
  // The reference was at /docs before.
  if (location.pathname === "/docs" && /^#(api|dashboard|tag|model|webhook|description)\b/.test(location.hash))
    location.replace(`/docs/reference${location.search}${location.hash}`);

  const bar = document.querySelector("search");
  const input = document.getElementById("query");
  const list = document.getElementById("results");
  const found = document.getElementById("found");
  const MOST = 12;
  let index = null;
  let chosen = -1;
  bar.hidden = false;

  const load = () => {
    index ??= fetch("/docs/search.json")
      .then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error(String(answer.status)))))
      .catch((error) => {
        index = null;
        throw error;
      });
    return index;
  };

  /** How well a passage fits the words; 0 when a word is missing. */
  const scoreOf = (words, title, heading, text) => {
    let score = 0;
    for (const word of words) {
      const inHeading = placeIn(heading, word);
      const inTitle = placeIn(title, word);
      const inText = placeIn(text, word);
      if (inHeading + inTitle + inText === 0) return 0;
      score += inHeading * 6 + inTitle * 4 + inText;
    }
    return score;
  };

  /** 3 for the word itself, 2 for its beginning, 1 for a part of another word, 0 for nothing. */
  const placeIn = (text, word) => {
    const at = ` ${text} `.search(new RegExp(`[^\\p{L}\\p{N}]${escaped(word)}`, "u"));
    if (at < 0) return word.length > 3 && text.includes(word) ? 1 : 0;
    return new RegExp(`(^|[^\\p{L}\\p{N}])${escaped(word)}($|[^\\p{L}\\p{N}])`, "u").test(text) ? 3 : 2;
  };

  const escaped = (word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

  const look = ({ pages, common }, query) => {
    const typed = query.toLowerCase().split(/\s+/).filter(Boolean);
    const telling = typed.filter((word) => word.length > 2 && !common.includes(word));
    const words = telling.length > 0 ? telling : typed;
    if (words.length === 0) return [];
    return pages
      .flatMap((page) => {
        const title = page.title.toLowerCase();
        return page.passages.map(([heading, anchor, text]) => ({
          page,
          heading,
          anchor,
          score: scoreOf(words, title, heading.toLowerCase(), text) * (anchor === "" ? 1.5 : 1),
        }));
      })
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, MOST);
  };

  const show = (results, query) => {
    list.replaceChildren(
      ...results.map(({ page, heading, anchor }, place) => {
        const option = document.createElement("a");
        option.id = `result-${place}`;
        option.setAttribute("role", "option");
        option.setAttribute("aria-selected", "false");
        option.tabIndex = -1;
        option.href = anchor === "" ? page.path : `${page.path}#${anchor}`;
        const where = document.createElement("span");
        where.textContent = [page.section, anchor === "" ? "" : page.title].filter(Boolean).join(" · ");
        option.append(heading, where);
        return option;
      }),
    );
    const open = query !== "";
    list.hidden = results.length === 0;
    input.setAttribute("aria-expanded", String(results.length > 0));
    found.textContent = open ? (results.length === 0 ? "Nothing found" : `${results.length} found`) : "";
    found.classList.toggle("nothing", open && results.length === 0);
    choose(results.length > 0 ? 0 : -1);
  };

  const choose = (place) => {
    const options = [...list.children];
    chosen = options.length === 0 ? -1 : (place + options.length) % options.length;
    for (const [at, option] of options.entries()) option.setAttribute("aria-selected", String(at === chosen));
    if (chosen < 0) return input.removeAttribute("aria-activedescendant");
    input.setAttribute("aria-activedescendant", options[chosen].id);
    options[chosen].scrollIntoView({ block: "nearest" });
  };

  const close = () => {
    list.hidden = true;
    found.textContent = "";
    found.classList.remove("nothing");
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };

  const search = async () => {
    const query = input.value.trim();
    if (query === "") return close();
    try {
      const results = look(await load(), query);
      if (input.value.trim() === query) show(results, query);
    } catch {
      found.textContent = "The search is not available. Try again.";
      found.classList.add("nothing");
    }
  };

  input.addEventListener("focus", () => void load().catch(() => {}));
  input.addEventListener("input", search);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      if (list.hidden) input.blur();
      close();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (list.hidden) search();
      else choose(chosen + (event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "Enter" && !list.hidden && chosen >= 0) {
      event.preventDefault();
      list.children[chosen].click();
      close();
      input.blur();
    }
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof Element && event.target.closest("input, textarea, select");
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
  document.addEventListener("click", (event) => {
    if (!bar.contains(event.target)) close();
  });

  for (const code of document.querySelectorAll("pre")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
      setTimeout(() => {
        button.textContent = "Copy";
      }, 2000);
    });
    const frame = document.createElement("div");
    frame.className = "code";
    code.replaceWith(frame);
    frame.append(code, button);
  }
})();
