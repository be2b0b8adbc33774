# The pages made from the code are what the code says today; make docs writes them.
diff "$SOURCE/docs/cli.md" <(roast help --markdown) && echo "docs/cli.md is true"
diff "$SOURCE/docs/metrics.md" <(roast metrics --markdown) && echo "docs/metrics.md is true"
for command in $(roast help --markdown | sed -n 's/^## roast //p'); do
    roast "$command" --help > help
    # Every line of --help is in the page, in this order.
    awk -v c="## roast $command" '$0 == c {on = 1; next} /^## / {on = 0} on' "$SOURCE/docs/cli.md" |
        sed '/^```$/d; 1{/^$/d}' | sed -e '${/^$/d}' | diff - help > /dev/null || echo "$command --help differs from docs/cli.md"
done
